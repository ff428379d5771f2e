package w3c

import (
	"fmt"
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
		case n < 0:
			s.see(data, true)
			data = ""
		case data[n] == 0:
			if n > MaxLine {
				s.stats.Rejected, s.stats.Long = s.stats.Rejected+1, s.stats.Long+1
			} else if n > 0 {
				s.stats.Rejected, s.stats.Cut = s.stats.Rejected+1, s.stats.Cut+1
			}
			rest := strings.TrimLeft(data[n:], "\x00")
			s.stats.Nul += int64(len(data) - n - len(rest))
			data = rest
		default:
			s.see(data[:n], false)
			data = data[n+1:]
			s.line++
		}
	}
	return s.out, s.stats
}

type slow struct {
	want, names []string
	sep         string
	line        int
	out         []string
	stats       Stats
}

func (s *slow) see(line string, unended bool) {
	if len(line) > MaxLine {
		s.stats.Rejected, s.stats.Long = s.stats.Rejected+1, s.stats.Long+1
		return
	}
	line = strings.TrimPrefix(strings.TrimRight(line, "\r"), linestest.BOM)
	if line == "" || line[0] == '#' {
		if name, value, _ := strings.Cut(line, ":"); name != "" && strings.EqualFold(strings.TrimSpace(name[1:]), "fields") && !unended {
			s.stats.Headers++
			s.names, s.sep = strings.Fields(value), " "
			if strings.Contains(strings.TrimSpace(value), "\t") {
				s.sep = "\t"
			}
		}
		return
	}
	if len(s.names) == 0 {
		s.stats.Rejected, s.stats.Headless = s.stats.Rejected+1, s.stats.Headless+1
		return
	}
	values := s.values(line)
	switch {
	case values != nil:
		s.stats.Rows++
		s.out = append(s.out, s.say(values, unended))
	case unended:
		s.stats.Rejected, s.stats.Cut = s.stats.Rejected+1, s.stats.Cut+1
	default:
		s.stats.Rejected, s.stats.Columns = s.stats.Rejected+1, s.stats.Columns+1
	}
}

// values are the columns of a row, nil if it is none.
func (s *slow) values(line string) []string {
	v := strings.Split(line, s.sep)
	odd := false
	for len(v) > len(s.names) && v[len(v)-1] == "" && (len(v) > 2 || v[0] != "") {
		v, odd = v[:len(v)-1], true
	}
	user := s.place("cs-username")
	if len(v) == len(s.names)+1 && user >= 0 && user < len(s.names)-1 && v[user] == "" {
		v = append(append([]string{}, v[:user]...), v[user+1:]...)
		odd = true
	}
	for _, value := range v {
		odd = odd || value == ""
	}
	if len(v) != len(s.names) || odd && !s.plausible(v) {
		return nil
	}
	return v
}

func (s *slow) plausible(v []string) bool {
	for _, name := range []string{"c-port", "s-port", "s-siteid", "sc-status", "sc-substatus", "sc-win32-status", "sc-bytes", "cs-bytes", "time-taken"} {
		if i := s.place(name); i >= 0 && v[i] != "-" && strings.Trim(v[i], "0123456789") != "" {
			return false
		}
	}
	for _, name := range []string{"c-ip", "s-ip"} {
		if i := s.place(name); i >= 0 && v[i] != "" && v[i] != "-" {
			a, _, _ := strings.Cut(v[i], "%")
			if !strings.ContainsAny(a, ".:") || strings.Trim(a, "0123456789abcdefABCDEF.:") != "" {
				return false
			}
		}
	}
	return true
}

func (s *slow) place(name string) int {
	for i, n := range s.names {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	return -1
}

func (s *slow) say(values []string, unended bool) string {
	words := []string{fmt.Sprint(s.line)}
	for _, w := range s.want {
		v := "?"
		if i := s.place(w); i >= 0 {
			if v = values[i]; v == "" {
				v = "-"
			}
		}
		words = append(words, v)
	}
	if unended {
		words = append(words, "unended")
	}
	return strings.Join(words, " ")
}

func oracleWanted() []string {
	return []string{"c-ip", "s-reason", "cs-username", "sc-status", "date"}
}

func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format().Oracle(t, format().Lengthened(t, file(t), parts()...), slowly, oracleWanted()...)
	})
}
