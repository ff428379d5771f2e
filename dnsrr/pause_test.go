package dnsrr

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A socket from which nothing comes but failures is given up after some
// seconds; until then it may recover, and one success makes it whole.
func TestASocketIsGivenUp(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve func(*Server, context.Context) error
		want  time.Duration // 0 = never
	}{
		{"UDP", func(s *Server, ctx context.Context) error { return s.ServeUDP(ctx, broken{err: errTooLong}) }, 6023 * time.Millisecond},
		{"TCP", func(s *Server, ctx context.Context) error {
			return s.ServeTCP(ctx, brokenListener{broken{err: errTooLong}})
		}, 6023 * time.Millisecond},
		{"TCP, out of descriptors", func(s *Server, ctx context.Context) error {
			return s.ServeTCP(ctx, brokenListener{broken{err: syscall.EMFILE}})
		}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			start, s := time.Now(), new(Server)
			err := tt.serve(s, ctx)
			got := time.Since(start)
			if tt.want == 0 && err == nil && got == time.Hour {
				return
			}
			if !errors.Is(err, errTooLong) || got != tt.want {
				t.Errorf("%s: ended after %v with %v, want %v", tt.name, got, err, tt.want)
			}
		})
	}
}

// While one reader of a socket has what it waits for, no other gives the socket
// up: bad datagrams may all have come to him.
func TestASocketThatWorksIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, good, start := new(Server), new(atomic.Uint64), time.Now()
		go s.readUDP(t.Context(), halting{until: start.Add(time.Hour)}, good)
		err := s.readUDP(t.Context(), broken{err: errTooLong}, good)
		if got := time.Since(start); !errors.Is(err, errTooLong) || got < time.Hour || got > time.Hour+8*time.Second {
			t.Errorf("given up after %v: %v", got, err)
		}
	})
}

// A halting socket has something to read every three seconds, until it ends.
type halting struct {
	net.PacketConn
	until time.Time
}

func (h halting) ReadFrom([]byte) (int, net.Addr, error) {
	time.Sleep(3 * time.Second)
	if time.Now().After(h.until) {
		return 0, nil, net.ErrClosed
	}
	return 0, nil, nil // too short: met with silence
}

// Broken is a socket that does nothing but fail.
type broken struct {
	net.PacketConn
	err error
}

func (b broken) ReadFrom([]byte) (int, net.Addr, error) { return 0, nil, b.err }
func (b broken) Close() error                           { return nil }

type brokenListener struct{ broken }

func (b brokenListener) Accept() (net.Conn, error) { return nil, b.err }
func (b brokenListener) Addr() net.Addr            { return nil }
