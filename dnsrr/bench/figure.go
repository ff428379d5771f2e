package main

import (
	"slices"
	"time"
)

// A figure is one run against one server.
type figure struct {
	reply
	Rate         int           `json:"rate"` // that was asked for; 0 = as many as are answered
	CPU          time.Duration `json:"cpu_ns"`
	User         time.Duration `json:"user_ns"`
	System       time.Duration `json:"system_ns"`
	Resident     int64         `json:"rss_octets"`
	Proportional int64         `json:"pss_octets"`
	Idle         time.Duration `json:"idle_ns"` // of the server's core, while it was asked
}

// each is a cost of the whole run for one query, in microseconds.
func (f figure) each(d time.Duration) float64 {
	return float64(d) / float64(time.Microsecond) / float64(f.Answered)
}

// busy is the share of a processor that the server took. At saturation less
// than all means that it was not the server that was short of it.
func (f figure) busy() float64 { return f.each(f.CPU) * f.QPS / 1e6 }

// rested is the share of the run in which the server's core had nothing to do.
func (f figure) rested() float64 { return f.Idle.Seconds() * f.QPS / float64(f.Answered) }

// A row is all rounds of one server in one mode. A round that failed is the
// zero figure, so that those of all servers stay beside each other.
type row struct {
	Server    string   `json:"server"`
	Addresses float64  `json:"addresses"`         // in an answer, the mean
	Against   string   `json:"against,omitempty"` // the row that it is compared to; "" = ours
	Figures   []figure `json:"figures"`
}

// A table is one mode.
type table struct {
	Mode string `json:"mode"`
	Says string `json:"says"`
	Rows []row  `json:"rows"`
}

func (t table) row(server string) (row, bool) {
	i := slices.IndexFunc(t.Rows, func(r row) bool { return r.Server == server })
	if i < 0 {
		return row{}, false
	}
	return t.Rows[i], true
}
