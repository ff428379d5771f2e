package exchange

import "strings"

// An object is what a cmdlet returned, in any of the forms.
type object struct {
	line  int // where it begins
	props []property
}

// A property is one of its lines, fields or elements.
type property struct {
	name    string
	value   string // without blanks around it
	line    int
	null    bool // the form tells null from an empty text, and it is null
	lost    bool // it refers to an object that was not kept
	wrapped bool // over several lines, so that blanks may have come or gone
}

// nothing says that p has no value: forms other than JSON and CLIXML cannot
// tell null from an empty text.
func (p property) nothing() bool {
	return p.null || p.value == "" || strings.EqualFold(p.value, "$null")
}

// find is the first of the properties that is there, in any letter case.
func (o *object) find(name string) (property, bool) {
	for _, p := range o.props {
		if strings.EqualFold(p.name, name) {
			return p, true
		}
	}
	return property{}, false
}

// text is the value of a property; empty where it is not there or nothing.
func (o *object) text(name string) string {
	if p, ok := o.find(name); ok && !p.nothing() {
		return p.value
	}
	return ""
}

// A feed is one file on its way into an Export.
type feed struct {
	ration *ration
	object func(*object)
	spoilt func(line int, key, message string)
}

// end complains of an error that ends the file.
func (f *feed) end(line int, err error) { f.spoilt(line, "", "the rest cannot be read: "+err.Error()) }
