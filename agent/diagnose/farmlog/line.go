package farmlog

import "strconv"

// A line is text that grows. Its methods append, without fmt, since a farm
// writes some hundred thousand rows a second.
type line struct {
	b    []byte
	rows int64
}

func (l *line) s(v string) *line {
	l.b = append(l.b, v...)
	return l
}

func (l *line) n(v int64) *line {
	l.b = strconv.AppendInt(l.b, v, 10)
	return l
}

// ms appends the thousandths of a second, three digits.
func (l *line) ms(v int64) *line {
	l.b = append(l.b, byte('0'+v/100%10), byte('0'+v/10%10), byte('0'+v%10))
	return l
}

// guid appends a GUID that belongs to x.
func (l *line) guid(x uint64) *line {
	l.b = appendGUID(l.b, x)
	return l
}

func appendGUID(b []byte, x uint64) []byte {
	const digits = "0123456789abcdef"
	hi, lo := mix(x), mix(x+0x9e3779b97f4a7c15)
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b = append(b, '-')
		}
		b = append(b, digits[hi>>60])
		hi = hi<<4 | lo>>60
		lo <<= 4
	}
	return b
}

func guid(x uint64) string { return string(appendGUID(nil, x)) }

// mix makes a number of x that looks like chance (Steele, Lea, Flood: SplitMix).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
