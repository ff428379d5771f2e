package gossip

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/hashicorp/memberlist"
)

// The pace of the farm, measured with 3 to 30 nodes; DESIGN.md has the figures.
const (
	gossipEvery  = 100 * time.Millisecond // a packet to each of gossipNodes
	gossipNodes  = 4
	probeEvery   = 500 * time.Millisecond
	probeTimeout = 250 * time.Millisecond
	pushPull     = 10 * time.Second // the whole state, with one random member
	suspicion    = 3                // probe rounds, times at most 3, before a silent node has failed
	streamLimit  = 5 * time.Second  // to connect to a peer, and for each push/pull

	memberCopies = 6 // of membership messages, at 10 nodes and less; with 4 a farm of 7 needed a push/pull to be whole
	wordCopies   = 2 // of words; they are repeated every second anyway

	// fewestNodes is the size a small farm is treated as when copies are
	// counted. memberlist sends copies·⌈log10(n+1)⌉, which for 4 to 9 nodes is
	// 2: too few for a word to reach everyone at its first telling.
	fewestNodes = 10

	// reclaim is how long after a failure a name may move to another address.
	// It is longer than a falsely accused node needs to speak up.
	reclaim = 10 * time.Second
)

// Start binds the addresses of o and begins to gossip with whoever comes; it
// contacts no one before [Cluster.Run]. What the machine or the options refuse
// (a port taken, a key of odd length, no address to advertise) is said here.
// Who starts a Cluster must Close it.
func Start(o Options) (*Cluster, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	c := &Cluster{options: o, log: o.Log, peers: hush{every: peerAgain}, woken: make(chan struct{}, 1), book: newBook(o.Name)}
	c.queue = &memberlist.TransmitLimitedQueue{
		RetransmitMult: wordCopies,
		NumNodes:       func() int { return max(fewestNodes, int(c.count.members.Load())) },
	}

	conf, why, err := c.config()
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	if c.list, err = memberlist.Create(conf); err != nil {
		return nil, fmt.Errorf("gossip on %v: %w", o.Bind, err)
	}
	c.log.Info("gossip begins", "name", o.Name, "bind", o.Bind, "advertise", c.Addr(), "because", why)
	c.warnIfUnreachable()
	return c, nil
}

// check reports all that is wrong with the options, not only the first.
func (o Options) check() error {
	var errs []error
	if n := len(o.Name); n == 0 || n > MaxName {
		errs = append(errs, fmt.Errorf("name %q: must be 1 to %d bytes", o.Name, MaxName))
	}
	if n := len(o.Key); n != 0 && n != 16 && n != 24 && n != 32 {
		errs = append(errs, fmt.Errorf("key: %d bytes, must be 16, 24 or 32", n))
	}
	if o.Bind.Addr().Zone() != "" || o.Advertise.Addr().Zone() != "" {
		errs = append(errs, errors.New("addresses with a zone mean nothing to peers"))
	}
	if len(o.Label) > memberlist.LabelMaxSize {
		errs = append(errs, fmt.Errorf("label: %d bytes, at most %d", len(o.Label), memberlist.LabelMaxSize))
	}
	if o.Transport == nil && !o.Bind.IsValid() {
		errs = append(errs, errors.New("bind: no address"))
	}
	for _, peer := range o.Join {
		if _, _, err := splitPeer(peer); err != nil {
			errs = append(errs, fmt.Errorf("join: %w", err))
		}
	}
	return errors.Join(errs...)
}

func splitPeer(peer string) (host string, port uint16, err error) {
	host, p, err := net.SplitHostPort(peer)
	if err != nil {
		return "", 0, fmt.Errorf("%q: must be host:port", peer)
	}
	n, err := strconv.ParseUint(p, 10, 16)
	if err != nil || n == 0 || host == "" {
		return "", 0, fmt.Errorf("%q: must be host:port", peer)
	}
	return host, uint16(n), nil
}

// config returns memberlist's configuration, and why it advertises what it does.
func (c *Cluster) config() (*memberlist.Config, string, error) {
	o := c.options
	conf := memberlist.DefaultLANConfig()
	conf.Name, conf.SecretKey, conf.Label = o.Name, o.Key, o.Label
	conf.GossipInterval, conf.GossipNodes = gossipEvery, gossipNodes
	conf.ProbeInterval, conf.ProbeTimeout = probeEvery, probeTimeout
	conf.SuspicionMult, conf.SuspicionMaxTimeoutMult = suspicion, suspicion
	conf.PushPullInterval, conf.TCPTimeout = pushPull, streamLimit
	conf.RetransmitMult, conf.DeadNodeReclaimTime = memberCopies, reclaim
	conf.EnableCompression = false // Facts are small and dense: LZW costs CPU and saves little
	conf.Logger = log.New(newLogWriter(c.log), "", 0)
	conf.Delegate, conf.Events, conf.Conflict = delegate{c}, delegate{c}, delegate{c}

	if o.Transport != nil {
		conf.Transport = o.Transport
		return conf, "transport", nil
	}
	addr, why, err := advertise(o)
	conf.BindAddr, conf.BindPort = o.Bind.Addr().String(), int(o.Bind.Port())
	conf.AdvertiseAddr, conf.AdvertisePort = addr.Addr().String(), int(addr.Port())
	return conf, why, err
}
