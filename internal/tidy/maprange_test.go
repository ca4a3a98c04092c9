package tidy

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// checkMapRange finds loops over maps in pure code. Go starts such a loop at a
// random element, so its order must never reach a decision; keep the keys in a
// slice. Only the types tell a map from a slice, so this rule checks them.
func checkMapRange(r *repo) (found []finding) {
	packages := r.packages()
	for _, dir := range sortedKeys(packages) {
		if isPure(dir) {
			found = append(found, r.mapRanges(dir, packages[dir])...)
		}
	}
	return found
}

func (r *repo) mapRanges(dir string, sources []*source) (found []finding) {
	// One file set for the package, as the type checker wants it.
	fset := token.NewFileSet()
	var files []*ast.File
	for _, s := range sources {
		if s.isTest() || !s.isBuilt() {
			continue
		}
		file, err := s.parseInto(fset)
		if err != nil {
			return []finding{{subject: s.path, problem: err.Error()}}
		}
		files = append(files, file)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var broken error // the first type error
	conf := types.Config{
		Importer: importer.ForCompiler(fset, "gc", r.export),
		Error:    func(err error) { broken = errors.Join(broken, err) },
	}
	if _, err := conf.Check(dir, fset, files, info); err != nil {
		first, _, _ := strings.Cut(broken.Error(), "\n")
		return []finding{{subject: dir, problem: "does not compile: " + first}}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if ok && isMap(info.TypeOf(loop.X)) {
				at := fset.Position(loop.Pos())
				found = append(found, finding{subject: at.Filename, line: at.Line,
					problem: "ranges over a map, in an order that nobody can replay: " +
						"keep the keys in a slice"})
			}
			return true
		})
	}
	return found
}

// isBuilt reports whether an ordinary build on this machine takes the file. Of
// two files that stand in for each other under a tag, one has to stay out.
func (s *source) isBuilt() bool {
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			expr, err := constraint.Parse(comment.Text)
			if err != nil || comment.Pos() > s.file.Package {
				continue
			}
			return expr.Eval(func(tag string) bool {
				return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "gc" ||
					strings.HasPrefix(tag, "go1.")
			})
		}
	}
	return true
}

// isMap reports whether t is a map, or a type parameter that may be one.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface: // what a type parameter's constraint amounts to
		for embedded := range u.EmbeddedTypes() {
			if isMap(embedded) {
				return true
			}
		}
	case *types.Union:
		for term := range u.Terms() {
			if isMap(term.Type()) {
				return true
			}
		}
	}
	return false
}

// export opens the compiled form of an import for the type checker.
func (r *repo) export(importPath string) (io.ReadCloser, error) {
	file := r.exports[importPath]
	if file == "" {
		return nil, fmt.Errorf("no compiled form of %s", importPath)
	}
	return os.Open(file)
}

// exportData has the go command compile what the pure packages import, which
// it mostly has in its cache, and tell where the results are.
func exportData(t *testing.T, root string, r *repo) map[string]string {
	t.Helper()
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, top := range []string{"core", "sim"} {
		if r.paths[top] {
			args = append(args, "./"+top+"/...")
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			exports[name] = file
		}
	}
	return exports
}

func TestMapRangeCatches(t *testing.T) {
	for _, body := range []string{
		"func f(m map[string]int) {\n\tfor range m {\n\t}\n}",
		"type set map[string]bool\nfunc f(m set) {\n\tfor k := range m { _ = k }\n}",
		"func f[M ~map[string]int](m M) {\n\tfor range m {\n\t}\n}",
		"func f() {\n\tfor range map[int]int{} {\n\t}\n}",
	} {
		expect(t, checkMapRange(goFile(t, "core/retry/a.go", "", body)), "ranges over a map")
		expect(t, checkMapRange(goFile(t, "core/retry/a_test.go", "", body)))
		expect(t, checkMapRange(goFile(t, "config/a.go", "", body)))
	}
	for _, body := range []string{
		"func f(s []int) {\n\tfor range s {\n\t}\n}",
		"func f[S ~[]int](s S) {\n\tfor range s {\n\t}\n}",
		"func f(m map[string]int) {\n\tdelete(m, \"\")\n\tfor i := range len(m) { _ = i }\n}",
	} {
		expect(t, checkMapRange(goFile(t, "core/retry/a.go", "", body)))
	}
	expect(t, checkMapRange(repoOf(t, map[string]string{
		"core/retry/on.go":  "//go:build invariants\n\npackage retry\n\nconst checked = true\n",
		"core/retry/off.go": "//go:build !invariants\n\npackage retry\n\nconst checked = false\n",
	})))
	broken := goFile(t, "core/retry/a.go", "", "var x int = false")
	expect(t, checkMapRange(broken), "does not compile")
}
