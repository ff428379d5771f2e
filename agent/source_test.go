package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pure lists what judges: packages and files that are told the time and the
// random number, and touch nothing outside. Beside each is all of the standard
// library and of others that it may import; what it may import of ours is the
// map's business. No list has math/rand: chance is an argument.
var pure = map[string][]string{
	"policy/balance":     {"cmp", "errors", "fmt", "maps", "math", "slices", "strings", "time"},
	"policy/balance/sim": {"cmp", "errors", "fmt", "maps", "math", "slices", "strings", "time"},
	"policy/exchange": {"bufio", "bytes", "cmp", "encoding/csv", "encoding/json", "encoding/xml", "errors", "fmt", "io", "maps", "slices", "strconv", "strings",
		"time", "unicode", "unicode/utf16", "unicode/utf8"}, // readers of what they are given: they open nothing
	"policy/throttle": {"cmp", "encoding/binary", "errors", "fmt", "hash/maphash", "iter", "maps", "math", "math/bits",
		"slices", "strconv", "strings", "sync", "sync/atomic", "time", "unicode", "unicode/utf8"}, // sync: the Ledger and the Cache are shared, and take turns
	"agent/diagnose": {"bytes", "cmp", "encoding/binary", "fmt", "maps", "math", "math/bits", "net/netip", "slices", "strconv", "strings", "sync",
		"time"}, // sync: logs end at once, and hand over their numbers in turn
	"dnsrr/pick.go":           {"cmp", "math", "math/bits", "slices", "time"},
	"health/page.go":          {"html", "net/http", "strconv", "strings"}, // of http its constants, see constants
	"health/agentcheck.go":    {"strconv"},
	"agent/node/translate.go": {"cmp", "fmt", "math", "net/netip", "slices", "strings", "time"},
	"agent/node/serial.go":    {"fmt", "strings", "time"},
	"agent/node/services.go":  {"cmp", "slices", "time"},
}

// constants are the only words that pure code may take from these packages.
var constants = map[string][]string{
	"net/http": {"MethodGet", "MethodHead", "StatusOK", "StatusNotFound", "StatusMethodNotAllowed", "StatusServiceUnavailable"},
}

// clocks are what pure code may not take from package time.
var clocks = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Sleep", "Tick"}

// tables are the package variables that are no errors: each is written once,
// where it stands, because the language has no constant arrays and maps.
// TestSource holds that nobody writes to them.
var tables = map[string]string{
	"agent/gate.folders":              "paths, and the components that judge them",
	"agent/gossip.retold":             "memberlist's words, and ours for them",
	"agent/logs.common":               "folders that every server has",
	"agent/logs.stems":                "what servers call their logs",
	"agent/node.states":               "the law's words, and the balancers' for them",
	"agent/report.words":              "what the columns mean",
	"health.dialectNames":             "the words of an enumeration",
	"health.protocolNames":            "the protocols and their paths",
	"health.stateNames":               "the words of an enumeration",
	"policy/balance.statusWords":      "the words of an enumeration",
	"policy/balance/sim.ablations":    "rules that can be played",
	"policy/balance/sim.acts":         "what an event does, by its word",
	"policy/balance/sim.kinds":        "balancers' defaults, by product",
	"policy/balance/sim.rules":        "rules that can be played",
	"policy/throttle.componentNames":  "the words of an enumeration",
	"policy/throttle.freshOf2010":     "what an installation of Exchange 2010 begins with",
	"policy/throttle.freshOf2013":     "what an installation of Exchange 2013 begins with",
	"policy/throttle.freshOfRTM":      "what an installation of Exchange 2010, as first shipped, begins with",
	"policy/throttle.generationNames": "the words of an enumeration",
	"policy/throttle.gaugeParts":      "what each slot of a budget counts, by component",
	"policy/throttle.rateParts":       "what each slot of a budget measures, by component",
	"policy/throttle.parameters":      "the parameters of a policy, and what each means",
	"policy/throttle.partNames":       "the words of an enumeration",
	"policy/throttle.scopeNames":      "the words of an enumeration",
	"policy/throttle.statusNames":     "the words of an enumeration",
	"policy/throttle.unitNames":       "the words of an enumeration",
}

// A source is one package's files for all systems, without tests.
type source struct {
	dir   string // from the top, with slashes
	fset  *token.FileSet
	files []*ast.File
	found map[string]bool // the tables that were seen, by their key in tables
}

func TestSource(t *testing.T) {
	found := map[string]bool{}
	judged := map[string]bool{}
	for _, s := range sources(t) {
		s.found = found
		for _, complaint := range s.judge() {
			t.Error(complaint)
		}
		judged[s.dir] = true
		for _, f := range s.files {
			judged[s.dir+"/"+s.file(f)] = true
		}
	}
	for name := range pure {
		if !judged[name] {
			t.Errorf("%s is to be pure, and is no package and no file", name)
		}
	}
	for name := range tables {
		if !found[name] {
			t.Errorf("%s is listed as a table, and is none", name)
		}
	}
}

// sources parses every package of this module.
func sources(t *testing.T) (out []source) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case path != ".." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || exists(filepath.Join(path, "go.mod"))):
			return filepath.SkipDir
		}
		s := parseDir(t, path)
		if len(s.files) > 0 {
			out = append(out, s)
		}
		return nil
	})
	if err != nil || len(out) < len(may) {
		t.Fatalf("%d packages, the map has %d: %v", len(out), len(may), err)
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func parseDir(t *testing.T, path string) source {
	t.Helper()
	rel, err := filepath.Rel("..", path)
	if err != nil {
		t.Fatal(err)
	}
	s := source{dir: filepath.ToSlash(rel), fset: token.NewFileSet()}
	names, err := filepath.Glob(filepath.Join(path, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.files = append(s.files, f)
	}
	return s
}

func (s source) file(f *ast.File) string { return filepath.Base(s.fset.Position(f.Package).Filename) }

// complain is a complaint about what stands at n.
func (s source) complain(n ast.Node, format string, args ...any) string {
	at := s.fset.Position(n.Pos())
	return fmt.Sprintf("%s/%s:%d: %s", s.dir, filepath.Base(at.Filename), at.Line, fmt.Sprintf(format, args...))
}

// judge applies every rule to the package.
func (s source) judge() (complaints []string) {
	complaints = append(complaints, s.introduced()...)
	for _, f := range s.files {
		if allowed, ok := pure[s.dir]; ok {
			complaints = append(complaints, s.impure(f, allowed)...)
		}
		if allowed, ok := pure[s.dir+"/"+s.file(f)]; ok {
			complaints = append(complaints, s.impure(f, allowed)...)
		}
		complaints = append(complaints, s.stateful(f)...)
		complaints = append(complaints, s.undocumented(f)...)
	}
	return complaints
}

// introduced: the package comment says what, then where to start.
func (s source) introduced() []string {
	var all string
	for _, f := range s.files {
		all += f.Doc.Text()
	}
	if !strings.HasPrefix(all, "Package ") && !strings.HasPrefix(all, "Command ") || !strings.Contains(all, "Start") {
		return []string{s.dir + ": the package comment says what it is, then where to start"}
	}
	return nil
}

// impure: time and chance are arguments, and nothing outside is touched.
func (s source) impure(f *ast.File, allowed []string) (complaints []string) {
	names := map[string]string{} // of imports in this file → path
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if !strings.HasPrefix(path, module) && !slices.Contains(allowed, path) {
			complaints = append(complaints, s.complain(imp, "is to be pure, and imports %s", path))
		}
		if imp.Name != nil && imp.Name.Name == "." {
			complaints = append(complaints, s.complain(imp, "a dot import hides what is used"))
		}
		names[localName(imp, path)] = path
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			complaints = append(complaints, s.complain(n, "is to be pure, and starts a goroutine"))
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && barred(names[x.Name], n.Sel.Name) {
				complaints = append(complaints, s.complain(n, "%s.%s: pass it in", x.Name, n.Sel.Name))
			}
		}
		return true
	})
	return complaints
}

func localName(imp *ast.ImportSpec, path string) string {
	if imp.Name != nil {
		return imp.Name.Name
	}
	return path[strings.LastIndex(path, "/")+1:]
}

// barred words are not for pure code, though their package is.
func barred(path, word string) bool {
	only, limited := constants[path]
	return path == "time" && slices.Contains(clocks, word) || limited && !slices.Contains(only, word)
}
