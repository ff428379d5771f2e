# make test is the gate; everything else is built from it.
GO ?= go
SYSTEMS := linux windows darwin

.PHONY: test fmt vet build staticcheck unit bench clean

test: fmt vet staticcheck unit

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "error: gofmt would change:" $$bad; exit 1; fi

vet:
	@for os in $(SYSTEMS); do echo "vet and build for $$os"; GOOS=$$os $(GO) vet ./... && GOOS=$$os $(GO) build -o /dev/null ./... || exit 1; done

# The tool is built for this machine and then told which system to look at.
staticcheck:
	@tool=$$(mktemp) && $(GO) build -o $$tool honnef.co/go/tools/cmd/staticcheck && \
	for os in $(SYSTEMS); do echo "staticcheck for $$os"; GOOS=$$os $$tool ./... || { rm -f $$tool; exit 1; }; done; rm -f $$tool

unit:
	$(GO) test -race ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o evenkeel ./agent

clean:
	rm -f evenkeel
