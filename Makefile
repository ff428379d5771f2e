# make test is the gate; everything else is built from it.
GO ?= go
SYSTEMS := linux windows darwin

.PHONY: test peers fmt vet build staticcheck unit bench bench-dns bench-throttle clean deb rpm dist/evenkeel

test: fmt vet staticcheck peers unit

# What agent/e2e stands beside: the programs alone, so that policy-rc.d, where
# there is none, forbids their packages to start a daemon. Without root or apt it
# is left to the tests to say what they skip.
PEERS := ip:iproute2 nft:nftables nginx:nginx-light haproxy:haproxy unbound:unbound promtool:prometheus \
	named:bind9 dnssec-keygen:bind9-utils dig:bind9-dnsutils delv:bind9-dnsutils kdig:knot-dnsutils pdns_recursor:pdns-recursor \
	dnsperf:dnsperf dnsviz:dnsviz zonemaster-cli:zonemaster-cli chromium:chromium
peers:
	@need=; for p in $(PEERS); do command -v $${p%%:*} >/dev/null || test -x /usr/sbin/$${p%%:*} || need="$$need $${p##*:}"; done; \
	if [ -z "$$need" ]; then exit 0; fi; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then echo "not here, and agent/e2e skips what needs them:$$need"; exit 0; fi; \
	if [ ! -e /usr/sbin/policy-rc.d ]; then \
		trap 'rm -f /usr/sbin/policy-rc.d' EXIT; trap 'exit 1' INT TERM; \
		printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d; \
	fi; \
	export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends $$need >/dev/null

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "error: gofmt would change:" $$bad; exit 1; fi

vet:
	@for os in $(SYSTEMS); do echo "vet and build for $$os"; GOOS=$$os $(GO) vet ./... && GOOS=$$os $(GO) build -o /dev/null ./... || exit 1; done

# The tool is built for this machine and then told which system to look at.
staticcheck:
	@tool=$$(mktemp) && $(GO) build -o $$tool honnef.co/go/tools/cmd/staticcheck && \
	for os in $(SYSTEMS); do echo "staticcheck for $$os"; GOOS=$$os $$tool ./... || { rm -f $$tool; exit 1; }; done; rm -f $$tool

# The benches are modules of their own, which ./... does not reach. Whole farms'
# logs are made and read by one goroutine a log: the race detector would make
# minutes of seconds there, and find nothing.
unit:
	$(GO) test -race ./...
	$(GO) test ./agent/diagnose/farmlog && $(GO) test -run TestDiagnosedStories ./agent
	cd dnsrr/bench && $(GO) vet ./... && $(GO) test ./...
	cd policy/throttle/bench && $(GO) vet ./... && $(GO) test ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# What a DNS answer costs, ours beside the servers that are installed; some
# eight minutes on two quiet cores. BENCH is handed on: BENCH=--quick, or
# BENCH=--help for what else there is. Nothing is installed unless PEERS says so:
# make bench-dns PEERS='$(RIVALS)'. A module of its own, so that its
# dependencies are not ours; it tests itself first.
RIVALS := dnsperf:dnsperf gdnsd:gdnsd nsd:nsd knotd:knot geoip.so:knot-module-geoip pdns_server:pdns-server \
	libbindbackend.so:pdns-backend-bind dnsdist:dnsdist named:bind9 unbound:unbound cc:gcc libc.so:libc6-dev
bench-dns: $(if $(filter command,$(firstword $(origin PEERS))),peers)
	cd dnsrr/bench && $(GO) vet ./... && $(GO) test ./... && $(GO) run . $(BENCH)

# What a throttling decision costs beside other limiters, in one run.
bench-throttle:
	cd policy/throttle/bench && $(GO) vet ./... && $(GO) test ./... && $(GO) run . $(BENCH)

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o evenkeel ./agent

clean:
	rm -rf evenkeel dist

# Packages for Linux, into dist. The packager is fetched at the version that is
# named here, and so stays out of go.mod.
NFPM := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1
ARCH ?= $(shell $(GO) env GOARCH)

# 1.2.3 at the tag v1.2.3, 1.2.3+4.gabcdef four commits later, which sorts above
# it, 1.2.3~rc.1 at v1.2.3-rc.1, which sorts below, and 0.0.0 without a tag.
VERSION ?= $(or $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null | sed -E 's/^v//; s/-([0-9]+)-g([0-9a-f]+)$$/+\1.g\2/; s/-/~/g'),0.0.0)

# The time that all files carry: the same commit gives the same package.
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),0)

dist/evenkeel:
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -o $@ ./agent

deb rpm: dist/evenkeel
	GOOS= GOARCH= VERSION=$(VERSION) ARCH=$(ARCH) SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) \
	$(GO) run $(NFPM) package --config configs/nfpm.yml --packager $@ --target dist/
