package fabric

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func seat(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}), 7946)
}

// got counts the packets that wait at a port.
func got(p *Port) int { return len(p.packets) }

func TestCutsAndHeals(t *testing.T) {
	var f Fabric
	a, b, c := f.Plug(seat(1)), f.Plug(seat(2)), f.Plug(seat(3))
	send := func() string {
		for _, p := range []*Port{a, b, c} {
			for n := range 3 {
				if p.addr != seat(n+1) {
					p.WriteTo([]byte{1}, seat(n+1).String())
				}
			}
		}
		s := fmt.Sprint(got(a), got(b), got(c))
		for _, p := range []*Port{a, b, c} {
			for range got(p) {
				<-p.packets
			}
		}
		return s
	}
	for _, step := range []struct {
		about string
		do    func()
		want  string
	}{
		{"all whole", func() {}, "2 2 2"},
		{"one alone", func() { f.Cut(seat(1)) }, "0 1 1"},
		{"two together", func() { f.Heal(); f.Cut(seat(1), seat(2)) }, "1 1 0"},
		{"each alone", func() { f.Cut(seat(1)) }, "0 0 0"},
		{"healed", f.Heal, "2 2 2"},
		{"one closed", func() { a.Shutdown() }, "0 1 1"},
		{"one plugged anew", func() { a = f.Plug(seat(1)) }, "2 2 2"},
	} {
		step.do()
		if got := send(); got != step.want {
			t.Errorf("%s: %s packets arrive, want %s", step.about, got, step.want)
		}
	}
}

func TestLosesAShare(t *testing.T) {
	var f Fabric
	a, b := f.Plug(seat(1)), f.Plug(seat(2))
	f.Loss(0.3)
	arrived := 0
	for range 10_000 {
		a.WriteTo([]byte{1}, seat(2).String())
		if got(b) == 1 {
			<-b.packets
			arrived++
		}
	}
	if arrived < 6800 || arrived > 7200 {
		t.Errorf("%d of 10000 arrive, want about 7000", arrived)
	}
}

func TestFullPortLosesPackets(t *testing.T) {
	var f Fabric
	a, b := f.Plug(seat(1)), f.Plug(seat(2))
	for range packetRoom + 5 {
		if _, err := a.WriteTo([]byte{1}, seat(2).String()); err != nil {
			t.Fatal(err)
		}
	}
	if got(b) != packetRoom {
		t.Errorf("%d packets wait, want %d", got(b), packetRoom)
	}
}

func TestDialling(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		var f Fabric
		a, b := f.Plug(seat(1)), f.Plug(seat(2))
		dial := func() (time.Duration, error) {
			start := time.Now()
			conn, err := a.DialTimeout(seat(2).String(), time.Second)
			if err == nil {
				(<-b.StreamCh()).Close()
				conn.Close()
			}
			return time.Since(start), err
		}
		if d, err := dial(); err != nil || d != 0 {
			t.Errorf("an open port: %v after %v", err, d)
		}
		f.Cut(seat(2))
		if d, err := dial(); err != errUnreachable || d != time.Second {
			t.Errorf("a port cut off: %v after %v, want no answer after 1s", err, d)
		}
		f.Heal()
		b.Shutdown()
		if d, err := dial(); err != errRefused || d != 0 {
			t.Errorf("a closed port: %v after %v, want refused at once", err, d)
		}
	})
}

// Who waits for a machine that goes away is let go, by the close or by the time.
func TestNoOneHangsOnAClosedPort(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		var f Fabric
		a, b := f.Plug(seat(1)), f.Plug(seat(2))
		waiting, err := a.DialTimeout(seat(2).String(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		b.Shutdown()
		if _, err := waiting.Write([]byte{1}); err == nil {
			t.Error("a closed port reads")
		}

		c := f.Plug(seat(3))
		silent, err := a.DialTimeout(seat(3).String(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := silent.Write([]byte{1}); err == nil {
			t.Error("written to a machine that never reads")
		}
		c.Shutdown()
	})
}
