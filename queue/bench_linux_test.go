package queue

import "testing"

// A reading in which connections are not counted, and one in which they are.
func BenchmarkListenerRead(b *testing.B) {
	for _, count := range []bool{false, true} {
		name := map[bool]string{false: "queues", true: "queues+connections"}[count]
		b.Run(name, func(b *testing.B) {
			src := Platform(Listener{})[0].(*listener)
			b.ReportAllocs()
			for b.Loop() {
				if count {
					src.pace = pace{}
				}
				if _, err := src.Read(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
