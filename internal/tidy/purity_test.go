package tidy

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pureImports are the standard packages whose use cannot make a decision
// depend on anything but its arguments, once bannedUses are left out. A package
// that is not here may be added when that holds for it.
var pureImports = []string{"bytes", "cmp", "encoding/binary", "errors", "fmt", "hash/fnv", "math",
	"math/bits", "slices", "sort", "strconv", "strings", "sync", "sync/atomic", "time", "unicode",
	"unicode/utf8"}

// simImports are those that the simulator may use besides: it writes reports
// to a given writer and draws from a generator with a given seed.
var simImports = []string{"bufio", "container/heap", "encoding/json", "io", "math/rand/v2"}

// bannedUses are names of allowed packages, each with what to do instead.
var bannedUses = map[string]map[string]string{
	"time": withReason("take now core.Instant as an argument: drivers have clocks and timers",
		"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker",
		"Timer", "Ticker", "Local", "LoadLocation"),
	"fmt": withReason("return an event or an error: only drivers print",
		"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"),
	"sync": withReason("use a Mutex: a policy waits for nobody, and a Map ranges in no fixed order",
		"Map", "WaitGroup", "Cond", "NewCond"),
}

func withReason(reason string, names ...string) map[string]string {
	m := map[string]string{}
	for _, name := range names {
		m[name] = reason
	}
	return m
}

// seeded are the names of math/rand and math/rand/v2 that need a given seed.
// All other functions draw from a generator that nobody can replay.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf", "Rand", "PCG",
	"ChaCha8", "Source", "Source64", "Zipf"}

// isPure reports whether the code in dir must be pure.
func isPure(dir string) bool { return below(dir, "core") || below(dir, "sim") }

// checkPurity holds core and sim to the promise that decisions are functions
// of what they are given.
func checkPurity(r *repo) (found []finding) {
	for _, s := range r.sources {
		switch {
		case !isPure(s.dir()):
		case s.isTest():
			found = append(found, s.impureTest()...)
		default:
			found = append(found, s.impureImports()...)
			found = append(found, s.impureUses()...)
			found = append(found, s.impureStatements()...)
		}
	}
	return found
}

func (s *source) impureImports() (found []finding) {
	imports := s.imports()
	for _, name := range sortedKeys(imports) {
		_, ours := folderOf(name) // the floors are another rule
		allowed := ours || slices.Contains(pureImports, name) ||
			below(s.dir(), "sim") && slices.Contains(simImports, name)
		f := s.at(imports[name])
		switch {
		case !allowed:
			f.problem = "imports " + name + ", which is not known to be pure: hand in what it " +
				"gives, or, if it is pure, add it to pureImports in internal/tidy/purity_test.go"
		case path.Base(s.path) == "machine.go" && (name == "sync" || name == "sync/atomic"):
			f.problem = "a machine has no lock: the shell around it holds " + name
		default:
			continue
		}
		found = append(found, f)
	}
	return found
}

// uses calls visit for every name of an imported package that the file uses.
func (s *source) uses(visit func(importPath, name string, pos token.Pos)) {
	paths := map[string]string{} // by the name that the file gives the import
	for _, spec := range s.file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has checked it
		}
		name := path.Base(importPath)
		if name == "v2" {
			name = path.Base(path.Dir(importPath))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = importPath
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// A name that the parser has resolved is a variable, not a package.
		if x, ok := selector.X.(*ast.Ident); ok && x.Obj == nil && paths[x.Name] != "" {
			visit(paths[x.Name], selector.Sel.Name, selector.Pos())
		}
		return true
	})
}

func (s *source) impureUses() (found []finding) {
	s.uses(func(importPath, name string, pos token.Pos) {
		f := s.at(pos)
		if reason := bannedUses[importPath][name]; reason != "" {
			f.problem = fmt.Sprintf("uses %s.%s: %s", importPath, name, reason)
		} else if unseeded(importPath, name) {
			f.problem = fmt.Sprintf("uses %s.%s, which cannot be replayed: "+
				"draw from a generator with a seed", importPath, name)
		} else {
			return
		}
		found = append(found, f)
	})
	for _, spec := range s.file.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			f := s.at(spec.Pos())
			f.problem = "imports " + spec.Path.Value + " by dot, which hides what is used of it"
			found = append(found, f)
		}
	}
	return found
}

func unseeded(importPath, name string) bool {
	return strings.HasPrefix(importPath, "math/rand") && !slices.Contains(seeded, name)
}

// impureStatements finds what makes code wait or run beside itself.
func (s *source) impureStatements() (found []finding) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "starts a goroutine"
		case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			what = "uses a channel"
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				what = "uses a channel"
			}
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			if ok && id.Obj == nil && (id.Name == "print" || id.Name == "println") {
				what = "prints"
			}
		}
		if what != "" {
			f := s.at(n.Pos())
			f.problem = what + ": answer what is to be done, and let the driver do it"
			found = append(found, f)
		}
		return true
	})
	return found
}

// impureTest finds what makes a test of pure code slow, or different each time.
func (s *source) impureTest() (found []finding) {
	s.uses(func(importPath, name string, pos token.Pos) {
		f := s.at(pos)
		if importPath == "time" && name == "Sleep" {
			f.problem = "sleeps: pass the instant in"
		} else if unseeded(importPath, name) {
			f.problem = fmt.Sprintf("draws from %s.%s: use a seed, so that a failure repeats",
				importPath, name)
		} else {
			return
		}
		found = append(found, f)
	})
	return found
}

func TestPurityCatches(t *testing.T) {
	for _, tc := range []struct{ file, imports, body, want string }{
		{"core/retry/a.go", `"os"`, `var _ = os.Args`, "a.go:2: imports os"},
		{"core/retry/a.go", `"context"`, `var _ context.Context`, "imports context"},
		{"core/retry/a.go", `"math/rand/v2"`, `var _ = rand.New(nil)`, "imports math/rand/v2"},
		{"core/retry/a.go", `"golang.org/x/sync/semaphore"`, `var _ semaphore.X`, "imports golang"},
		{"core/retry/a.go", `. "time"`, `var _ = Now()`, "by dot"},
		{"core/retry/a.go", `"time"`, `var _ = time.Now()`, "uses time.Now: take now"},
		{"core/retry/a.go", `clock "time"`, `var _ = clock.Now`, "uses time.Now"},
		{"core/retry/a.go", `"time"`, `var _ = time.AfterFunc`, "uses time.AfterFunc"},
		{"core/retry/a.go", `"time"`, `var _ *time.Timer`, "uses time.Timer"},
		{"core/retry/a.go", `"fmt"`, `func f() { fmt.Println() }`, "uses fmt.Println"},
		{"core/retry/a.go", `"sync"`, `var _ sync.Map`, "uses sync.Map"},
		{"core/retry/a.go", `"sync"`, `func f(w *sync.WaitGroup) {}`, "uses sync.WaitGroup"},
		{"core/retry/a.go", "", `func f() { go f() }`, "starts a goroutine"},
		{"core/retry/a.go", "", `func f() { select {} }`, "uses a channel"},
		{"core/retry/a.go", "", `type t struct{ wake chan int }`, "uses a channel"},
		{"core/retry/a.go", "", `func f() { println(1) }`, "prints"},
		{"core/breaker/machine.go", `"sync"`, `var _ sync.Mutex`, "a machine has no lock"},
		{"core/breaker/machine.go", `"sync/atomic"`, `var _ atomic.Int64`, "a machine has no lock"},
		{"core/retry/a_test.go", `"time"`, `func f() { time.Sleep(1) }`, "sleeps"},
		{"core/retry/a_test.go", `"math/rand/v2"`, `var _ = rand.IntN(3)`, "draws from"},
		{"sim/a.go", `"time"`, `var _ = time.Now()`, "uses time.Now"},
		{"sim/a.go", `"math/rand/v2"`, `var _ = rand.IntN(3)`, "cannot be replayed"},
		{"sim/a.go", `"net"`, `var _ net.Conn`, "imports net"},
	} {
		expect(t, checkPurity(goFile(t, tc.file, tc.imports, tc.body)), tc.want)
	}
}

func TestPurityIsContent(t *testing.T) {
	for _, tc := range []struct{ file, imports, body string }{
		{"core/retry/a.go", `"time"`, `const wait = 3 * time.Second`},
		{"core/retry/a.go", `"time"`, `func f(s string) { _, _ = time.Parse("", s) }`},
		{"core/retry/a.go", `"time"`, `func f(time struct{ Now func() }) { time.Now() }`},
		{"core/retry/a.go", `"fmt"`, `var _ = fmt.Errorf("no")`},
		{"core/breaker/breaker.go", `"sync"`, `var _ sync.Mutex`},
		{"core/retry/a_test.go", `"math/rand/v2"`, `var _ = rand.New(rand.NewPCG(1, 2)).IntN(3)`},
		{"core/retry/a_test.go", `"os"`, `func f() { go os.Exit(1) }`},
		{"sim/a.go", `"math/rand/v2"`, `var _ = rand.New(rand.NewPCG(1, 2))`},
		{"config/a.go", `"time"`, `var _ = time.Now()`},
	} {
		expect(t, checkPurity(goFile(t, tc.file, tc.imports, tc.body)))
	}
}

// goFile makes a repo of one Go file; imports may be empty.
func goFile(t *testing.T, name, imports, body string) *repo {
	t.Helper()
	return repoOf(t, map[string]string{name: "package p\nimport (" + imports + ")\n" + body + "\n"})
}
