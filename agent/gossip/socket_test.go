package gossip

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

var loopback = netip.MustParseAddrPort("127.0.0.1:0")

// onLoopback starts a real node and runs it until the test ends.
func onLoopback(t *testing.T, o Options) (*Cluster, *journal) {
	t.Helper()
	log := &journal{}
	o.Bind, o.Log = loopback, log.logger()
	c, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c, log
}

// eventually polls; the bound is only there to end a test that fails.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: never", what)
		}
	}
}

func TestRealSockets(t *testing.T) {
	key := []byte("0123456789abcdef")
	first, _ := onLoopback(t, Options{Name: "mx1", Key: key, Label: "farm"})
	if a := first.Addr(); a.Addr() != loopback.Addr() || a.Port() == 0 {
		t.Fatalf("advertises %v, want the port that was found free", a)
	}
	second, log := onLoopback(t, Options{Name: "mx2", Key: key, Label: "farm", Join: []string{first.Addr().String()}})
	if len(log.having("gossip begins", "advertise="+second.Addr().String())) != 1 {
		t.Error("the advertised address is not logged")
	}
	if err := first.Tell(7, []byte("load")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Fact is heard", func() bool {
		h := second.Heard()
		return len(h) == 1 && h[0].Name == "mx1" && h[0].Member && h[0].Beat == 7 && string(h[0].Fact) == "load"
	})
	if err := second.Leave(5 * time.Second); err != nil {
		t.Errorf("leave: %v", err)
	}
	eventually(t, "the goodbye is heard", func() bool {
		return slices.Contains(first.Members(), Member{"mx2", second.Addr(), "left"})
	})
	if s := first.Stats(); s.Told != 1 || s.Heard == 0 || s.BytesIn == 0 || s.BytesOut == 0 {
		t.Errorf("counts %+v", s)
	}
}

// Two farms that meet by accident must say so, in words an operator knows.
func TestStrangersAreNamed(t *testing.T) {
	a, b := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	for _, c := range []struct {
		about         string
		first, second Options
		want          string
	}{
		{"keys differ", Options{Key: a}, Options{Key: b}, "a peer's key differs from ours"},
		{"one has no key", Options{Key: a}, Options{}, "a peer has no key, we have one"},
		{"labels differ", Options{Label: "x"}, Options{Label: "y"}, "a peer belongs to another farm"},
	} {
		t.Run(c.about, func(t *testing.T) {
			c.first.Name, c.second.Name = "mx1", "mx2"
			first, log := onLoopback(t, c.first)
			c.second.Join = []string{first.Addr().String()}
			_, joiner := onLoopback(t, c.second)
			eventually(t, "the complaint", func() bool { return len(log.having("level=ERROR", c.want)) > 0 })
			eventually(t, "the joiner's", func() bool { return len(joiner.having("level=WARN", "peer not reached")) == 1 })
		})
	}
}

func TestStartRefuses(t *testing.T) {
	taken, _ := onLoopback(t, Options{Name: "mx1"})
	for _, c := range []struct {
		about string
		o     Options
		want  []string
	}{
		{"a port that is taken", Options{Name: "mx2", Bind: taken.Addr()}, []string{taken.Addr().String()}},
		{"nothing given", Options{}, []string{"name", "bind"}},
		{"all wrong at once", Options{
			Name: strings.Repeat("n", MaxName+1), Bind: loopback, Key: make([]byte, 5),
			Label: strings.Repeat("l", 256), Join: []string{"mx1", "mx1:0", ":7946", "mx1:smtp"},
		}, []string{"name", "key: 5 bytes", "label: 256 bytes", `"mx1"`, `"mx1:0"`, `":7946"`, `"mx1:smtp"`}},
		{"a zone", Options{Name: "mx1", Bind: netip.MustParseAddrPort("[fe80::1%eth0]:0")}, []string{"zone"}},
	} {
		got, err := Start(c.o)
		if err == nil {
			got.Close()
			t.Errorf("%s: started", c.about)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not speak of %s", c.about, err, want)
			}
		}
	}
}

func TestTheEndIsTheEnd(t *testing.T) {
	c, err := Start(Options{Name: "mx1", Bind: loopback})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := c.Tell(1, nil); err == nil {
		t.Error("a closed node tells")
	}
	if err := c.Leave(time.Second); err == nil {
		t.Error("a closed node says goodbye")
	}
	again, err := Start(Options{Name: "mx1", Bind: c.Addr()})
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	again.Close()
}
