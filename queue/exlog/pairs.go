package exlog

import (
	"bytes"
	"iter"
)

// A Pair is one item of a list within a value, as GenericInfo and GenericErrors
// have them: "S:BudgetMetadata.MaxConn=27". Its parts are those of the list, not
// copies.
type Pair struct {
	Type   []byte // how .NET has the value: "S", "Dbl", "I32", "F"; nil for none
	Key    []byte // "BudgetMetadata.MaxConn", "BudgUse.T[]"; or all of an item that has no "=" and no ":"
	Value  []byte // without its outer quotes; nil for none
	Quoted bool   // it was quoted, and each "'" in Value stands twice (see [Pair.AppendValue])
}

// Pairs walks a list of pairs, in its order; a key may come again. Items end at
// ";". One that is quoted, or its value, may have ";" within: it ends at a "'"
// that is not doubled and has a ";" or nothing behind it. From the first quote
// that does not end on, quotes mean nothing. An item without "=" is parted at its
// first ":", as those of ClientRequestId: "RT:Execute". Walking costs no
// allocation.
func Pairs(list []byte) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		rest, quotes := list, true
		for len(rest) > 0 {
			var p Pair
			p, rest, quotes = cutPair(rest, quotes)
			if (len(p.Key) > 0 || len(p.Value) > 0) && !yield(p) {
				return
			}
		}
	}
}

// Lookup is the value of the first pair of a list that has this key, in these
// letters and without its type: "WLM.Bal".
func Lookup(list []byte, key string) (p Pair, ok bool) {
	for p := range Pairs(list) {
		if string(p.Key) == key {
			return p, true
		}
	}
	return Pair{}, false
}

// Null reports that there is no value: nothing, or "$null".
func (p Pair) Null() bool { return len(p.Value) == 0 || string(p.Value) == "$null" }

// Float is the value, if it is a number as [ParseFloat] reads it; "Unlimited" is
// +Inf.
func (p Pair) Float() (f float64, ok bool) { return ParseFloat(p.Value) }

// AppendValue appends the value to dst as it was before it was quoted.
func (p Pair) AppendValue(dst []byte) []byte {
	v := p.Value
	for p.Quoted {
		n := bytes.Index(v, []byte("''")) + 1
		if n == 0 {
			break
		}
		dst = append(dst, v[:n]...)
		v = v[n+1:]
	}
	return append(dst, v...)
}

// cutPair takes the first item off a list, and says whether quotes still mean
// something in the rest.
func cutPair(list []byte, quotes bool) (p Pair, rest []byte, still bool) {
	list = bytes.TrimLeft(list, " ")
	item, rest, _ := bytes.Cut(list, []byte{';'})
	at := opening(item)
	if at < 0 || !quotes {
		return part(item), rest, quotes
	}
	n := closing(list[at+1:])
	if n < 0 {
		return part(item), rest, false
	}

	inner, rest := list[at+1:at+1+n], list[min(at+n+3, len(list)):]
	if at == 0 {
		p = part(inner)
	} else {
		p = part(item[:at])
		p.Value = inner
	}
	p.Quoted = true
	return p, rest, true
}

// opening is where in an item a quote opens: at its start, or at that of its
// value; -1 for nowhere.
func opening(item []byte) int {
	if len(item) > 0 && item[0] == '\'' {
		return 0
	}
	if n := bytes.IndexByte(item, '=') + 1; n > 0 && n < len(item) && item[n] == '\'' {
		return n
	}
	return -1
}

// closing is where in b the quote is that ends what was quoted; -1 for nowhere.
func closing(b []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\'')
		if n < 0 {
			return -1
		}
		i += n
		switch {
		case i+1 == len(b) || b[i+1] == ';':
			return i
		case b[i+1] == '\'':
			i++
		}
		i++
	}
}

// part finds the parts of an item without quotes.
func part(item []byte) (p Pair) {
	n := bytes.IndexByte(item, '=')
	if n < 0 {
		if n = bytes.IndexByte(item, ':'); n < 0 {
			return Pair{Key: item}
		}
		return Pair{Key: item[:n], Value: item[n+1:]}
	}
	p = Pair{Key: item[:n], Value: item[n+1:]}
	if n = bytes.IndexByte(p.Key, ':'); n > 0 && n <= 4 && p.Key[0]-'A' < 26 {
		p.Type, p.Key = p.Key[:n], p.Key[n+1:]
	}
	return p
}
