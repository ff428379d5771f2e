package exlog

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"evenkeel/queue/lines/linestest"
	"pgregory.net/rapid"
)

// slowly reads a finished file in bytes the plain way, and says of it what
// told says, and what it counts.
func slowly(data string, want ...string) (out []string, stats Stats) {
	s := slow{want: want, line: 1}
	data = strings.TrimPrefix(data, linestest.BOM)
	for data != "" {
		n := strings.IndexAny(data, "\n\x00")
		switch {
		case n >= 0 && data[n] == 0:
			if n > MaxRow {
				s.reject(&s.stats.Long)
			} else if n > 0 {
				s.reject(&s.stats.Cut)
			}
			rest := strings.TrimLeft(data[n:], "\x00")
			s.stats.Nul += int64(len(data) - n - len(rest))
			data = rest
		case n < 0:
			data = data[s.see(data, data, true):]
		default:
			end := s.see(data[:n], data, false)
			s.line += strings.Count(data[:end], "\n")
			data = data[end:]
		}
	}
	return s.out, s.stats
}

type slow struct {
	want, names []string
	line        int
	out         []string
	stats       Stats
}

func (s *slow) reject(why *int64) {
	s.stats.Rejected++
	*why++
}

// see reads a line, or more of data, and says how much is read.
func (s *slow) see(line, data string, unended bool) (end int) {
	end = min(len(line)+1, len(data))
	if len(line) > MaxRow {
		s.reject(&s.stats.Long)
		return end
	}
	plain := strings.TrimPrefix(strings.TrimRight(line, "\r"), linestest.BOM)
	if plain == "" || plain[0] == '#' {
		if name, value, _ := strings.Cut(plain, ":"); name != "" && strings.EqualFold(strings.TrimSpace(name[1:]), "fields") && !unended {
			s.head(value)
		}
		return end
	}
	values, _, state := machine(plain, s.names == nil)
	if state == "open" && s.names != nil {
		mark := len(line) - len(strings.TrimPrefix(line, linestest.BOM))
		var size int
		values, size, state = machine(data[mark:], true)
		if size += mark; state == "fits" && size <= MaxRow {
			end, unended = min(size+1, len(data)), size == len(data)
		} else {
			state = "open"
		}
	}
	s.judge(values, state, unended)
	return end
}

func (s *slow) judge(values []string, state string, unended bool) {
	timed := -1
	for i, n := range s.names {
		if timeName.MatchString(n) && timed < 0 {
			timed = i
		}
	}
	fits := state == "fits" && len(values) == len(s.names) && s.names != nil
	dated := fits && timed >= 0 && values[timed] != "" && values[timed][0] >= '0' && values[timed][0] <= '9'
	switch {
	case state == "fits" && !dated && s.isHeader(values):
		if !unended {
			s.stats.Headers++
			s.names = nil
			for _, v := range values {
				s.names = append(s.names, strings.TrimSpace(v))
			}
		}
	case s.names == nil:
		s.reject(&s.stats.Headless)
	case fits:
		s.stats.Rows++
		s.out = append(s.out, s.say(values, unended))
	case unended:
		s.reject(&s.stats.Cut)
	case state != "fits":
		s.reject(&s.stats.Quotes)
	default:
		s.reject(&s.stats.Columns)
	}
}

var (
	name     = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9_./ ()]*$`)
	timeName = regexp.MustCompile(`(?i)^(date-?time|time(stamp)?)$`)
)

func (s *slow) isHeader(values []string) bool {
	timed := false
	for _, v := range values {
		v = strings.TrimSpace(v)
		if !name.MatchString(v) {
			return false
		}
		timed = timed || timeName.MatchString(v)
	}
	return timed || s.names == nil && len(values) > 1
}

func (s *slow) head(value string) {
	s.stats.Headers++
	s.names = nil
	value = strings.TrimSpace(strings.ToValidUTF8(value, "\ufffd"))
	values, _, state := machine(value, false)
	if value == "" || state != "fits" {
		return
	}
	for _, v := range values {
		s.names = append(s.names, strings.TrimSpace(v))
	}
}

// machine reads the row that text begins with, byte by byte, up to the end of a
// line or of the text.
func machine(text string, strict bool) (values []string, end int, state string) {
	for i := 0; ; i++ {
		var v []byte
		if i < len(text) && text[i] == '"' {
			for i++; ; i++ {
				if i == len(text) || text[i] == 0 {
					return nil, i, "open"
				}
				if text[i] == '"' {
					if i++; i == len(text) || text[i] != '"' {
						break
					}
				}
				v = append(v, text[i])
			}
		} else {
			for ; i < len(text) && text[i] != ',' && text[i] != '\n'; i++ {
				if text[i] == '"' && strict || text[i] == 0 {
					return nil, i, "broken"
				}
				v = append(v, text[i])
			}
			if i == len(text) || text[i] == '\n' {
				v = []byte(strings.TrimRight(string(v), "\r"))
			}
		}
		values = append(values, string(v))
		rest := strings.TrimLeft(text[i:], "\r")
		switch {
		case rest == "" || rest[0] == '\n':
			return values, len(text) - len(rest), "fits"
		case text[i] != ',':
			return nil, i, "broken"
		}
	}
}

func (s *slow) say(values []string, unended bool) string {
	words := []string{fmt.Sprint(s.line)}
	for _, w := range s.want {
		v := "?"
		for i, n := range s.names {
			if strings.EqualFold(n, w) {
				v = "[" + values[i] + "]"
				break
			}
		}
		words = append(words, v)
	}
	if unended {
		words = append(words, "unended")
	}
	return strings.Join(words, " ")
}

func oracleWanted() []string { return []string{"User", "Parameters", "Status", "DateTime"} }

func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format().Oracle(t, format().Lengthened(t, file(t), parts()...), slowly, oracleWanted()...)
	})
}
