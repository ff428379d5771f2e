package linestest

import "testing"

// Measure runs f over data and says how many million of its bytes a second of
// processor time reads; "MB/s" is by the clock of the wall, on a machine that
// others use too.
func Measure(b *testing.B, data []byte, f func() (rows int)) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	rows := 0
	from := CPU()
	for b.Loop() {
		rows += f()
	}
	spent := CPU() - from
	if spent > 0 {
		b.ReportMetric(float64(len(data))*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
		b.ReportMetric(float64(spent)/float64(rows), "cpu-ns/row")
	}
}
