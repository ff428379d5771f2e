package page

// digits are the letters of packed numbers: none means anything to HTML.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// pack writes numbers as the differences from one to the next, each in digits of
// five bits, the lowest first, with 32 added to all but the last; the sign is the
// lowest bit. A zero stands for as many steps without change as the number after
// it, and one. The script reads it back.
func pack(vs []int64) string {
	var out []byte
	last := int64(0)
	for i := 0; i < len(vs); {
		if d := vs[i] - last; d != 0 {
			out = digit(out, uint64(d<<1)^uint64(d>>63))
			last = vs[i]
			i++
			continue
		}
		from := i
		for i < len(vs) && vs[i] == last {
			i++
		}
		out = digit(append(out, digits[0]), uint64(i-from-1))
	}
	return string(out)
}

// digit appends one number.
func digit(out []byte, u uint64) []byte {
	for ; u >= 32; u >>= 5 {
		out = append(out, digits[32+u&31])
	}
	return append(out, digits[u])
}
