package exchange

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// A Field is one thing that a text tells, under the name that Exchange has for it.
type Field struct {
	Name   string   `json:"-"`
	Value  string   `json:"value"`            // as it stands in the text, decoded
	Unit   string   `json:"unit,omitempty"`   // of the numbers; empty where they count things, or there are none
	Number *float64 `json:"number,omitempty"` // of Value, where that is one number
	Limit  *float64 `json:"limit,omitempty"`  // of a part: what the policy allows; nil: all, or the text does not say
	Used   *float64 `json:"used,omitempty"`   // of a part: what is in use
	Left   *float64 `json:"left,omitempty"`   // of a part: negative where more is used than is allowed
	Means  string   `json:"means,omitempty"`  // in words
}

// Fields are those of one text, in its order. In JSON they are an object.
type Fields []Field

// MarshalJSON keeps the order of the text. Of two fields of one name the last
// counts, as the readers of most languages have it.
func (f Fields) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, field := range f {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(field.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(field)
		if err != nil {
			return nil, err
		}
		out.Write(append(append(name, ':'), value...))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// find is the field of a name.
func (f Fields) find(name string) (Field, bool) {
	for _, field := range f {
		if field.Name == name {
			return field, true
		}
	}
	return Field{}, false
}

// add appends a field. Its number is found in the value.
func (f *Fields) add(name, value, unit, means string) {
	field := Field{Name: name, Value: value, Unit: unit, Means: means}
	if n, err := strconv.ParseFloat(value, 64); err == nil && strings.Trim(value, "-.0123456789") == "" {
		field.Number = &n
	}
	*f = append(*f, field)
}

// part appends how a part of a budget of 2010 stands, in milliseconds of each minute.
func (f *Fields) part(name, value string, t throttle.SnapshotTime, means string) {
	field := Field{Name: name, Value: value, Unit: "ms of each minute", Used: millis(t.Used), Means: means}
	if !t.Unlimited {
		field.Limit, field.Left = millis(t.Limit), millis(t.Left())
	}
	*f = append(*f, field)
}

// count appends how many of a thing are in use.
func (f *Fields) count(name, value string, c throttle.SnapshotCount, means string) {
	used := float64(c.Used)
	field := Field{Name: name, Value: value, Used: &used, Means: means}
	if !c.Unlimited {
		limit, left := float64(c.Limit), float64(c.Limit)-float64(c.Used)
		field.Limit, field.Left = &limit, &left
	}
	*f = append(*f, field)
}

func millis(d time.Duration) *float64 {
	ms := float64(d) / float64(time.Millisecond)
	return &ms
}
