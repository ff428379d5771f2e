package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/dnsrr/dnssec"
)

const (
	lookEvery  = 2 * time.Second  // how often the files are looked at for a change
	againAfter = 30 * time.Second // a configuration that was refused is read again: a file that it names may have come
)

// A reloader reads the configuration again, on SIGHUP and when its file has
// changed. It takes it whole or not at all: a file that cannot be used, or that
// changes what only a start can change, leaves everything as it was.
type reloader struct {
	read func() (config.Config, dnsrr.Records, error)
	stat func() stamp // of the file, and of those it names that may change while we run
	said string       // the last refusal, so that it is said once
}

// A stamp tells one state of files from another. The empty stamp is no file.
type stamp string

func stampOf(files ...string) stamp {
	var b strings.Builder
	for _, name := range files {
		if i, err := os.Stat(name); err == nil {
			fmt.Fprintln(&b, name, i.ModTime().UnixNano(), i.Size())
		}
	}
	return stamp(b.String())
}

// reread serves reloads until ctx is done. A file that has just changed is read
// at the second look, when it has kept still: editors write in steps.
func (a *agent) reread(ctx context.Context, r reloader) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	used, seen, read := r.stat(), stamp(""), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.hup:
			used = r.stat()
			r.said, read = "", time.Now()
			a.reload(&r)
		case <-tick.C:
			now := r.stat()
			again := r.said != "" && time.Since(read) >= againAfter // what it lacked may have come since
			if (now != used || again) && now == seen {
				used, read = now, time.Now()
				a.reload(&r)
			}
			seen = now
		}
	}
}

// reload reads the configuration and takes it up, or says why not.
func (a *agent) reload(r *reloader) {
	asked := a.gate.asked()
	cfg, records, err := r.read()
	old := a.current()
	refusal := ""
	switch keys := onlyAtStart(old, cfg); {
	case err != nil:
		refusal = err.Error()
	case len(keys) > 0:
		refusal = "only a restart can change " + strings.Join(keys, ", ")
	default:
		refusal = a.relisten(old, cfg)
	}
	if refusal != "" {
		if refusal != r.said {
			a.log.Error("configuration refused, the one in use stays", "why", refusal)
		}
		r.said = refusal
		a.gate.reloaded(asked)
		return
	}
	r.said = ""
	a.gate.change(cfg)
	a.gate.reloaded(asked)
	if reflect.DeepEqual(old, cfg) {
		a.log.Info("configuration read again: nothing changed")
		return
	}
	a.now.Store(&cfg)
	a.door.change(cfg)
	a.warn(cfg)
	a.probes.Set(targetsOf(cfg))
	a.rekey(old, cfg)
	if !sameZone(old, cfg) {
		a.loaded = time.Now()
	}
	content := content{records: records, loaded: a.loaded, signer: a.kit.signer}
	a.node.Change(func(n *node.Node) { a.settle(n, cfg, content) })
	a.log.Info("configuration read again", "file", cfg.File)
}

// rekey takes up what answers DNS beside the zone's content.
func (a *agent) rekey(old, cfg config.Config) {
	if err := stepped(old, cfg); err != nil {
		a.log.Warn("validating resolvers will not follow this change of keys, unless it was prepared", "why", err.Error())
	}
	a.kit.change(cfg, false)
	a.dns.Configure(a.kit.options())
}

// onlyAtStart lists the keys that differ and that a running agent cannot change.
func onlyAtStart(old, now config.Config) []string {
	var keys []string
	differ := func(key string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			keys = append(keys, key)
		}
	}
	differ("node.name", old.Node.Name, now.Node.Name)
	differ("zone.name", old.Zone.Name, now.Zone.Name)
	differ("listen.health", old.Listen.Health, now.Listen.Health)
	differ("listen.agent_check", old.Listen.AgentCheck, now.Listen.AgentCheck)
	differ("listen.admin", old.Listen.Admin, now.Listen.Admin)
	differ("admin.cert_file (TLS or not)", old.Admin.TLS(), now.Admin.TLS())
	differ("listen.gossip", old.Listen.Gossip, now.Listen.Gossip)
	differ("listen.gate", old.Listen.Gate, now.Listen.Gate)
	differ("gate.allow", old.Gate.Allow, now.Gate.Allow)
	differ("gate.connections", old.Gate.Connections, now.Gate.Connections)
	differ("gate.budgets", old.Gate.Budgets, now.Gate.Budgets)
	differ("gate.requests", old.Gate.Requests, now.Gate.Requests)
	differ("gate.release", old.Gate.Release, now.Gate.Release)
	differ("gate.shadow", old.Gate.Shadow, now.Gate.Shadow)
	differ("health.tls", [...]any{old.Health.TLS, old.Health.Certificate.Certificate}, [...]any{now.Health.TLS, now.Health.Certificate.Certificate})
	differ("gossip", old.Gossip, now.Gossip)
	differ("sources", old.Sources, now.Sources)
	differ("state", old.State, now.State)
	return keys
}

// current is the configuration in use.
func (a *agent) current() config.Config {
	if c := a.now.Load(); c != nil {
		return *c
	}
	return a.cfg
}

// A content is what the zone says beside the farm. It is taken before it is
// given to the loop, which runs beside the next reload.
type content struct {
	records dnsrr.Records
	loaded  time.Time // when it was read
	signer  *dnssec.Signer
}

// settle gives the loop what of the configuration can change while it runs.
func (a *agent) settle(n *node.Node, cfg config.Config, z content) {
	n.FQDN, n.Addrs = cfg.Node.FQDN, addressesOf(cfg, a.farm.Addr())
	n.Zone = node.Zone{Name: cfg.Zone.Name, Answers: cfg.Zone.Answers, Loaded: z.loaded, Records: z.records, Signer: z.signer}
	n.Services = servicesOf(cfg)
	even := n.Rules.Even
	n.Rules = rulesOf(cfg, a.farm.Addr())
	n.Rules.Even = even
	n.Connections, n.Learn, n.QueueLimit = cfg.Limits.Connections, cfg.Limits.Learn, cfg.Limits.Queue
}
