package exchange

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A made is a made-up object, and how it is written by each form.
type made []pair

// A pair is a property: nil, a bool, a string, or a limit.
type pair struct {
	name  string
	value any
}

// A limit is of the type that Exchange has for it: a number or Unlimited.
type limit string

func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return strings.ToUpper(fmt.Sprint(v)[:1]) + fmt.Sprint(v)[1:]
	}
	return fmt.Sprint(value)
}

// writers are the four forms, in the encodings that PowerShell has for them.
var writers = map[string]func([]made) []byte{
	"list":   func(all []made) []byte { return asList(all, 80) },
	"wide":   func(all []made) []byte { return append([]byte("[PS] C:\\>Get-Mailbox | fl\r\n"), asList(all, 4096)...) },
	"csv":    asCSV,
	"csv16":  func(all []made) []byte { return utf16LE(string(bytes.TrimPrefix(asCSV(all), []byte("\uFEFF")))) },
	"clixml": func(all []made) []byte { return utf16LE(string(asCLIXML(all))) },
	"json":   asJSON,
	"csv;":   func(all []made) []byte { return bytes.ReplaceAll(asCSV(all), []byte(`","`), []byte(`";"`)) },
	"csv#TYPE": func(all []made) []byte {
		return append([]byte("#TYPE Selected.Mailbox\r\n"), bytes.TrimPrefix(asCSV(all), []byte("\uFEFF"))...)
	},
}

// asList writes as Format-List does into a window.
func asList(all []made, width int) []byte {
	var out bytes.Buffer
	out.WriteString("\r\n\r\n")
	for _, o := range all {
		widest := 0
		for _, p := range o {
			widest = max(widest, len(p.name))
		}
		for _, p := range o {
			name := p.name + strings.Repeat(" ", widest-len(p.name)) + " : "
			for line := range strings.SplitSeq(text(p.value), "\n") {
				for _, piece := range wrap(line, max(8, width-widest-3)) {
					out.WriteString(strings.TrimRight(name+piece, " ") + "\r\n")
					name = strings.Repeat(" ", widest+3)
				}
			}
		}
		out.WriteString("\r\n")
	}
	return out.Bytes()
}

// wrap breaks at blanks, behind hyphens, and in words that are too long.
func wrap(line string, width int) (out []string) {
	for utf8.RuneCountInString(line) > width {
		runes := []rune(line)
		at := width
		for at > 0 && runes[at] != ' ' && runes[at-1] != '-' {
			at--
		}
		if at == 0 {
			at = width
		}
		out = append(out, strings.TrimRight(string(runes[:at]), " "))
		line = strings.TrimPrefix(string(runes[at:]), " ")
	}
	return append(out, line)
}

func asCSV(all []made) []byte {
	var out bytes.Buffer
	out.WriteString("\uFEFF")
	row := func(cells []string) {
		for i, c := range cells {
			cells[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		out.WriteString(strings.Join(cells, ",") + "\r\n")
	}
	for i, o := range all {
		var names, values []string
		for _, p := range o {
			names, values = append(names, p.name), append(values, text(p.value))
		}
		if i == 0 {
			row(names)
		}
		row(values)
	}
	return out.Bytes()
}

func asCLIXML(all []made) []byte {
	var out bytes.Buffer
	out.WriteString("<Objs Version=\"1.1.0.1\" xmlns=\"http://schemas.microsoft.com/powershell/2004/04\">\r\n")
	ref := 0
	for _, o := range all {
		fmt.Fprintf(&out, "  <Obj RefId=\"%d\">\r\n    <ToString>one</ToString>\r\n    <Props>\r\n", ref)
		for _, p := range o {
			ref++
			switch v := p.value.(type) {
			case nil:
				fmt.Fprintf(&out, "      <Nil N=\"%s\" />\r\n", p.name)
			case bool:
				fmt.Fprintf(&out, "      <B N=\"%s\">%v</B>\r\n", p.name, v)
			case limit:
				fmt.Fprintf(&out, "      <Obj N=\"%s\" RefId=\"%d\"><TN RefId=\"2\"><T>Unlimited</T></TN><ToString>%s</ToString><Props><B N=\"IsUnlimited\">%v</B></Props></Obj>\r\n", p.name, ref, v, v == "Unlimited")
			default:
				fmt.Fprintf(&out, "      <S N=\"%s\">%s</S>\r\n", p.name, escapeCLIXML(text(v)))
			}
		}
		out.WriteString("    </Props>\r\n  </Obj>\r\n")
		ref++
	}
	out.WriteString("</Objs>")
	return out.Bytes()
}

func escapeCLIXML(s string) string {
	var out strings.Builder
	for i, c := range s {
		switch {
		case c < ' ':
			fmt.Fprintf(&out, "_x%04X_", c)
		case c > 0xFFFF:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&out, "_x%04X__x%04X_", high, low)
		case strings.HasPrefix(s[i:], "_x"):
			out.WriteString("_x005F_")
		case c == '<':
			out.WriteString("&lt;")
		case c == '&':
			out.WriteString("&amp;")
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

func asJSON(all []made) []byte {
	var objects []string
	for _, o := range all {
		var pairs []string
		for _, p := range o {
			var v []byte
			switch l, isLimit := p.value.(limit); {
			case isLimit && l == "Unlimited":
				v = []byte(`{ "IsUnlimited": true, "Value": null }`)
			case isLimit:
				v = fmt.Appendf(nil, `{ "IsUnlimited": false, "Value": %s, "deep": {"Value": [1, {"Value": 2}]} }`, l)
			default:
				v, _ = json.Marshal(p.value)
			}
			pairs = append(pairs, fmt.Sprintf("    %q:  %s", p.name, v))
		}
		objects = append(objects, "  {\r\n"+strings.Join(pairs, ",\r\n")+"\r\n  }")
	}
	return []byte("[\r\n" + strings.Join(objects, ",\r\n") + "\r\n]\r\n")
}

func utf16LE(s string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}
