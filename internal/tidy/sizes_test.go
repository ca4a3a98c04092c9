package tidy

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// The numbers. What is larger is seldom one thought.
const (
	maxFileLines     = 300
	maxCallFileLines = 400 // core/call is the central machine: its size is kept down on purpose
	maxFuncLines     = 60
	maxColumns       = 100 // a tab counts as 4
	maxWideColumns   = 120 // outside core, where 100 is the aim and not the fence
	maxTestColumns   = 140 // a row of a table of cases reads best on one line
	maxParameters    = 4   // of an exported function, without the receiver
	maxExported      = 15  // names of a policy package, without methods
)

// written returns the files that people write.
func (r *repo) written() (files []*source) {
	for _, s := range r.sources {
		if !ast.IsGenerated(s.file) {
			files = append(files, s)
		}
	}
	return files
}

func checkFileLines(r *repo) (found []finding) {
	for _, s := range r.written() {
		limit := maxFileLines
		if s.dir() == "core/call" {
			limit = maxCallFileLines
		}
		if n := strings.Count(s.text, "\n"); n > limit {
			found = append(found, finding{subject: s.path,
				problem: fmt.Sprintf("has %d lines, more than %d: split it by topic", n, limit)})
		}
	}
	return found
}

func checkFunctionLines(r *repo) (found []finding) {
	for _, s := range r.written() {
		s.functions(func(name string, f *ast.FuncDecl) {
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > maxFuncLines {
				found = append(found, finding{subject: s.path + " " + name, line: s.line(f.Pos()),
					problem: fmt.Sprintf("has %d lines, more than %d: give a part of it a name",
						n, maxFuncLines)})
			}
		})
	}
	return found
}

// functions calls visit for every function, a method being Type.Method.
func (s *source) functions(visit func(name string, f *ast.FuncDecl)) {
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			name := f.Name.Name
			if f.Recv != nil && len(f.Recv.List) == 1 {
				name = typeName(f.Recv.List[0].Type) + "." + name
			}
			visit(name, f)
		}
	}
}

// typeName returns the name in a receiver's type: of T, *T, T[P] and *T[P].
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return ""
}

func checkColumns(r *repo) (found []finding) {
	for _, s := range r.written() {
		number, limit := 0, maxColumns
		switch {
		case s.isTest():
			limit = maxTestColumns
		case !strings.HasPrefix(s.path, "core/"):
			limit = maxWideColumns
		}
		for line := range strings.Lines(s.text) {
			number++
			line = strings.TrimSuffix(line, "\n")
			n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if n > limit && !strings.Contains(line, "://") { // an address cannot be broken
				found = append(found, finding{subject: s.path, line: number,
					problem: fmt.Sprintf("reaches column %d, past %d", n, limit)})
			}
		}
	}
	return found
}

func checkParameters(r *repo) (found []finding) {
	for _, s := range r.written() {
		if s.isTest() || s.file.Name.Name == "main" {
			continue
		}
		s.functions(func(name string, f *ast.FuncDecl) {
			if n := f.Type.Params.NumFields(); f.Name.IsExported() && n > maxParameters {
				found = append(found, finding{subject: s.path + " " + name, line: s.line(f.Pos()),
					problem: fmt.Sprintf("takes %d parameters, more than %d: some belong together",
						n, maxParameters)})
			}
		})
	}
	return found
}

// isPolicy reports whether dir is one policy's folder.
func isPolicy(dir string) bool {
	return path.Dir(dir) == "core" && floors[dir] >= 1 && floors[dir] <= 3
}

func checkExportedNames(r *repo) (found []finding) {
	packages := r.packages()
	for _, dir := range sortedKeys(packages) {
		if !isPolicy(dir) {
			continue
		}
		names := map[string]bool{}
		for _, s := range packages[dir] {
			if !s.isTest() {
				s.exported(names)
			}
		}
		if len(names) > maxExported {
			found = append(found, finding{subject: dir,
				problem: fmt.Sprintf("exports %d names, more than %d (constants count as their "+
					"type): %s", len(names), maxExported, strings.Join(sortedKeys(names), " "))})
		}
	}
	return found
}

// exported adds the file's exported names. Constants of a named type count as
// that type: whoever has learned an enumeration has learned one thing.
func (s *source) exported(names map[string]bool) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names[id.Name] = true
		}
	}
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			kind := "" // the type that a constant repeats from the one above it
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name)
				case *ast.ValueSpec:
					if spec.Type != nil || len(spec.Values) > 0 {
						kind = constantType(spec)
					}
					for _, id := range spec.Names {
						if d.Tok == token.CONST && kind != "" && id.IsExported() {
							id = ast.NewIdent(kind)
						}
						add(id)
					}
				}
			}
		}
	}
}

// constantType returns the type that a constant names, in itself or as a
// conversion, or "".
func constantType(spec *ast.ValueSpec) string {
	if spec.Type != nil {
		return typeName(spec.Type)
	}
	if call, ok := spec.Values[0].(*ast.CallExpr); ok {
		return typeName(call.Fun)
	}
	return ""
}

func TestSizesCatch(t *testing.T) {
	long := "package p\n" + strings.Repeat("// x\n", 300)
	file := func(name, text string) *repo { return repoOf(t, map[string]string{name: text}) }
	expect(t, checkFileLines(file("core/retry/a.go", long)), "has 301 lines")
	expect(t, checkFileLines(file("core/retry/a_test.go", long)), "has 301 lines")
	expect(t, checkFileLines(file("core/call/a.go", long)))
	const generated = "// Code generated by hand. DO NOT EDIT.\n"
	expect(t, checkFileLines(file("core/retry/a.go", generated+long)))

	tall := func(lines int) *repo {
		return goFile(t, "a.go", "", "func (t *T[P]) M() {\n"+strings.Repeat("\n", lines-2)+"}")
	}
	expect(t, checkFunctionLines(tall(60)))
	expect(t, checkFunctionLines(tall(61)), "a.go:3: T.M has 61 lines")

	wide := func(line string) *repo { return goFile(t, "core/a.go", "", line) }
	expect(t, checkColumns(wide("\t// "+strings.Repeat("é", 93))))
	expect(t, checkColumns(wide("\t// "+strings.Repeat("é", 94))), "a.go:3: reaches column 101")
	expect(t, checkColumns(goFile(t, "a.go", "", "// "+strings.Repeat("x", 118))), "past 120")
	expect(t, checkColumns(wide("// https://"+strings.Repeat("x", 94))))

	expect(t, checkParameters(goFile(t, "a.go", "", "func (t T) F(a, b, c, d int) {}")))
	expect(t, checkParameters(goFile(t, "a.go", "", "func f(a, b, c, d, e int) {}")))
	expect(t, checkParameters(goFile(t, "a.go", "", "func (t T) F(a, b, c int, d, e bool) {}")),
		"T.F takes 5 parameters")
}

func TestExportedNamesCatch(t *testing.T) {
	var sixteen, enum strings.Builder
	for i := range 16 {
		fmt.Fprintf(&sixteen, "var V%d int\n", i)
		fmt.Fprintf(&enum, "const C%d = Kind(%d)\n", i, i)
	}
	expect(t, checkExportedNames(goFile(t, "core/retry/a.go", "", sixteen.String())),
		"exports 16 names")
	expect(t, checkExportedNames(goFile(t, "core/a.go", "", sixteen.String())))
	expect(t, checkExportedNames(goFile(t, "core/retry/a.go", "", enum.String())))
	const mixed = "type Kind uint8\nconst (\n\tA Kind = iota\n\tB\n\tC\n)\n" +
		"func F() {}\nfunc (Kind) M() {}\nfunc g() {}\n"
	names := map[string]bool{}
	goFile(t, "a.go", "", mixed).sources[0].exported(names)
	if got := strings.Join(sortedKeys(names), " "); got != "F Kind" {
		t.Errorf("exported names are %q, want those of the function and the type", got)
	}
}
