package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// stateful: nothing runs before main, and no package variable changes.
func (s source) stateful(f *ast.File) (complaints []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				complaints = append(complaints, s.complain(d, "init runs unasked: let the caller call"))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					complaints = append(complaints, s.variable(d, v)...)
				}
			}
		}
	}
	return complaints
}

// variable judges the package variables of one line.
func (s source) variable(d *ast.GenDecl, v *ast.ValueSpec) (complaints []string) {
	for i, name := range v.Names {
		_, listed := tables[s.dir+"."+name.Name]
		switch {
		case name.Name == "_": // says that a type has an interface's methods
		case strings.Contains(comments(d.Doc, v.Doc), "//go:embed ") && (typed(v, "string") || isFolder(v.Type)): // neither's bytes can be written
			complaints = append(complaints, s.written(name.Name)...)
		case i < len(v.Values) && isError(v.Values[i]) && strings.HasPrefix(strings.ToLower(name.Name), "err"):
			complaints = append(complaints, s.written(name.Name)...)
		case listed && i < len(v.Values) && isTable(v.Values[i]):
			s.found[s.dir+"."+name.Name] = true
			complaints = append(complaints, s.written(name.Name)...)
		default:
			complaints = append(complaints, s.complain(name, "package variable %s: hand it in, or list it as a table nobody writes", name.Name))
		}
	}
	return complaints
}

func comments(groups ...*ast.CommentGroup) (all string) {
	for _, g := range groups {
		for i := 0; g != nil && i < len(g.List); i++ {
			all += g.List[i].Text + "\n"
		}
	}
	return all
}

func typed(v *ast.ValueSpec, name string) bool {
	id, ok := v.Type.(*ast.Ident)
	return ok && id.Name == name
}

// isFolder: embed.FS, which is read-only.
func isFolder(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "FS"
}

// isError: errors.New or fmt.Errorf makes it.
func isError(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "New" || sel.Sel.Name == "Errorf")
}

// isTable: all of it stands where it is declared.
func isTable(e ast.Expr) bool {
	c, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch c.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// written says where the package variable of that name is assigned to, has its
// address taken, or is handed to a built-in that writes.
func (s source) written(name string) (complaints []string) {
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			for _, target := range targets(n) {
				if root(target) == name {
					complaints = append(complaints, s.complain(n, "package variable %s is written", name))
				}
			}
			return true
		})
	}
	return complaints
}

// targets are the expressions that n may write to. A local := of the same name
// is another variable.
func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") && len(n.Args) > 0 {
			return n.Args[:1]
		}
	}
	return nil
}

// root is the variable that e is a part of.
func root(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// wellKnown methods say by their name all that may be relied on: those of error
// and fmt.Stringer.
var wellKnown = []string{"Error", "Unwrap", "String"}

// undocumented: every exported identifier has a comment. A method counts where
// its type is exported and it is not well known; a group's comment serves all
// in it.
func (s source) undocumented(f *ast.File) (complaints []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			plain := d.Recv != nil && slices.Contains(wellKnown, d.Name.Name)
			if d.Doc.Text() == "" && d.Name.IsExported() && ast.IsExported(receiver(d)) && !plain {
				complaints = append(complaints, s.complain(d, "%s has no comment", d.Name.Name))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				complaints = append(complaints, s.bare(d, spec)...)
			}
		}
	}
	return complaints
}

// receiver is the name of the type that d is a method of; a function's is as
// good as exported.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return "A"
	}
	return root(d.Recv.List[0].Type)
}

// bare complains of exported names of spec that nothing is said about.
func (s source) bare(d *ast.GenDecl, spec ast.Spec) (complaints []string) {
	var names []*ast.Ident
	said := d.Doc.Text()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		names, said = []*ast.Ident{spec.Name}, said+spec.Doc.Text()+spec.Comment.Text()
	case *ast.ValueSpec:
		names, said = spec.Names, said+spec.Doc.Text()+spec.Comment.Text()
	}
	for _, n := range names {
		if n.IsExported() && said == "" {
			complaints = append(complaints, s.complain(n, "%s has no comment", n.Name))
		}
	}
	return complaints
}

func TestSourceRulesBite(t *testing.T) {
	const intro = "// Package balance decides. Start with X.\npackage balance\n"
	for _, c := range []struct{ promise, code, want string }{
		{"sound code", intro + "import \"time\"\n// X is.\nfunc X(now time.Time) time.Time { return now.Add(time.Second) }", ""},
		{"errors are values", intro + "import \"errors\"\n// ErrX is.\nvar ErrX = errors.New(\"x\")", ""},
		{"a listed table", intro + "var statusWords = [...]string{\"a\"}", ""},
		{"an interface held", intro + "var _ error = (*x)(nil)\ntype x struct{ error }", ""},
		{"a group's comment serves all", intro + "// The words.\nconst (\n\tA = 1\n\tB = 2\n)", ""},

		{"no introduction", "package balance", "where to start"},
		{"no start", "// Package balance decides.\npackage balance", "where to start"},
		{"a clock", intro + "import \"time\"\nfunc x() { _ = time.Now() }", "time.Now: pass it in"},
		{"a clock handed on", intro + "import \"time\"\nvar _ = time.Since", "time.Since: pass it in"},
		{"a clock under another name", intro + "import clock \"time\"\nfunc x() { clock.Sleep(1) }", "clock.Sleep: pass it in"},
		{"a clock without a name", intro + "import . \"time\"\nvar _ Time", "dot import"},
		{"chance", intro + "import \"math/rand/v2\"\nvar _ = rand.Uint64()", "imports math/rand/v2"},
		{"the outside", intro + "import \"os\"\nvar _ = os.Args", "imports os"},
		{"a goroutine", intro + "func x() { go x() }", "starts a goroutine"},
		{"init", intro + "func init() {}", "init runs unasked"},
		{"a variable", intro + "var count int", "package variable count"},
		{"an array nobody listed", intro + "var words = [...]string{\"a\"}", "package variable words"},
		{"no error, though called one", intro + "var errs []error", "package variable errs"},
		{"embedded bytes", intro + "//go:embed x\nvar x []byte", "package variable x"},
		{"a table written", intro + "var statusWords = [...]string{\"a\"}\nfunc x() { statusWords[0] = \"b\" }", "statusWords is written"},
		{"a table given away", intro + "var statusWords = [...]string{\"a\"}\nfunc x() *string { return &statusWords[0] }", "statusWords is written"},
		{"a table emptied", intro + "var statusWords = map[int]string{}\nfunc x() { clear(statusWords) }", "statusWords is written"},
		{"an error replaced", intro + "import \"errors\"\nvar errX = errors.New(\"x\")\nfunc x() { errX = nil }", "errX is written"},
		{"a silent function", intro + "func X() {}", "X has no comment"},
		{"a silent method", intro + "// X is.\ntype X int\nfunc (x *X) Y() {}", "Y has no comment"},
		{"a silent type", intro + "type X int", "X has no comment"},
		{"a silent constant", intro + "const X = 1", "X has no comment"},
		{"a silent function that is called like a method", intro + "func Error() {}", "Error has no comment"},
		{"a method whose name says it", intro + "// X is.\ntype X int\nfunc (X) String() string { return \"x\" }", ""},
		{"a method nobody can name", intro + "type x int\nfunc (x *x) Y() {}", ""},
	} {
		s := source{dir: "policy/balance", fset: token.NewFileSet(), found: map[string]bool{}}
		f, err := parser.ParseFile(s.fset, "x.go", c.code, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", c.promise, err)
		}
		s.files = []*ast.File{f}
		got := strings.Join(s.judge(), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.promise, got, c.want)
		}
	}
}
