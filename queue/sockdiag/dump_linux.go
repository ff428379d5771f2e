package sockdiag

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// patience bounds one wait for the kernel. It answers within the call, so
	// this only ends what would otherwise hang for ever.
	patience = time.Second

	// bufferLen is the most the kernel puts in one datagram of a dump
	// (net/netlink/af_netlink.c, netlink_dump).
	bufferLen = 32 << 10
)

// A Conn asks the kernel, one dump after the other. The zero Conn is ready:
// Dump opens it, and opens it again after Close or an error. It is for one
// goroutine at a time.
type Conn struct {
	fd   int
	open bool
	seq  uint32
	out  []byte
	in   []byte
}

// Dump hands every socket that r asks for to see, and returns the CPU time it
// took, the kernel's walk and see together: on a busy machine the clock on the
// wall says much more. An error means that what see was given is not all;
// after [ErrInterrupted] it is worth asking again.
func (c *Conn) Dump(ctx context.Context, r Request, see func(Socket)) (cost time.Duration, err error) {
	runtime.LockOSThread() // whose time is taken
	defer runtime.UnlockOSThread()
	start := threadTime()
	if err = c.dump(ctx, r, see); err != nil {
		c.Close() // the rest of a dump given up would be the next one's beginning
	}
	return threadTime() - start, err
}

// threadTime is what this thread has run for. Without such a clock, which all
// kernels have that have sock_diag, a dump costs nothing.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func (c *Conn) dump(ctx context.Context, r Request, see func(Socket)) error {
	if err := c.dial(); err != nil {
		return fmt.Errorf("sockdiag: open: %w", err)
	}
	c.seq++
	c.out = r.append(c.out[:0], c.seq)
	if _, err := again(unix.Write, c.fd, c.out); err != nil {
		return fmt.Errorf("sockdiag: ask: %w", err)
	}
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := again(unix.Read, c.fd, c.in)
		if n == 0 && err == nil {
			err = ErrShort // else we would ask for ever
		}
		if err != nil {
			return fmt.Errorf("sockdiag: read: %w", err)
		}
		if done, err = sockets(c.in[:n], c.seq, see); err != nil {
			return err
		}
	}
	return nil
}

// dial opens a socket that hears nobody but the kernel.
func (c *Conn) dial() (err error) {
	if c.open {
		return nil
	}
	if c.fd, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG); err != nil {
		return err
	}
	c.open = true
	if c.in == nil {
		c.in = make([]byte, bufferLen)
	}
	wait := unix.NsecToTimeval(int64(patience))
	if err = unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return err
	}
	return unix.Connect(c.fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
}

// Close gives the socket back and keeps the buffers. Closing twice is harmless.
func (c *Conn) Close() error {
	if !c.open {
		return nil
	}
	c.open = false
	return unix.Close(c.fd)
}

// again makes a call until no signal gets between: calls on sockets with a
// timeout are not restarted (signal(7)), and Go's scheduler sends signals.
func again(call func(int, []byte) (int, error), fd int, b []byte) (int, error) {
	for {
		if n, err := call(fd, b); err != unix.EINTR {
			return n, err
		}
	}
}
