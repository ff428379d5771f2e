package config

import (
	"testing"

	"evenkeel/configs"
)

// Reading every key there is: what a reload costs.
func BenchmarkLoad(b *testing.B) {
	text := configs.Default()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := load(Embedded, text, nil, "ex01"); err != nil {
			b.Fatal(err)
		}
	}
}
