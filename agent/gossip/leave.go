package gossip

import (
	"fmt"
	"time"
)

// Leave says goodbye, so that peers see at once that this node left and did not
// fail. It waits until the goodbye has been sent to some, and returns an error if
// that takes longer than timeout (0 = does not wait); the goodbye is then still
// on its way. Without peers it never waits. Facts of others are still heard and
// passed on until Close. Calling it again does nothing.
//
// While another machine uses this node's name nothing is said, since the
// goodbye would be taken for the other's: the error is then [ErrConflict].
func (c *Cluster) Leave(timeout time.Duration) error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return fmt.Errorf("leave: %w", ErrLeft)
	}
	if said, err := c.sayGoodbye(); said || err != nil {
		return err
	}
	// memberlist takes 0 for "wait for ever"
	if err := c.list.Leave(max(timeout, time.Nanosecond)); err != nil {
		return fmt.Errorf("leave: %w", err)
	}
	return nil
}

func (c *Cluster) sayGoodbye() (already bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.book.left {
		return true, nil
	}
	r, err := c.book.goodbye(c.now())
	if err == nil {
		c.spread(r)
	}
	return false, err
}

// Close ends all gossip and frees the addresses. Without a Leave before, peers
// take this node for failed. What was heard can still be read. Closing again
// does nothing.
func (c *Cluster) Close() error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.mu.Lock()
	c.book.left = true
	c.mu.Unlock()
	if err := c.list.Shutdown(); err != nil {
		return fmt.Errorf("close gossip: %w", err)
	}
	return nil
}
