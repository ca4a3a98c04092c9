package tidy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulePath is the root module's path; the nested modules' paths extend it by
// their folders, so it maps every import of ours to a folder.
const modulePath = "github.com/seakeep/seakeep"

// repo is what the rules look at: the real files, or a test's few lines.
type repo struct {
	sources []*source         // Go files, by path
	texts   map[string]string // documents and module files, by path
	paths   map[string]bool   // every file and folder there is
	exports map[string]string // import path to export data; nil in a test's repo
}

// source is one parsed Go file.
type source struct {
	path string // from the repo's root, with slashes
	text string
	fset *token.FileSet
	file *ast.File
}

// finding is one broken rule. An exception names it by rule and subject, which
// therefore holds no line number.
type finding struct {
	subject string // a path, or a path and the name of a function in it
	line    int    // 0: the whole file
	problem string // what is wrong and how to mend it
}

// String writes a finding as compilers do, so that editors can jump to it.
func (f finding) String() string {
	if f.line == 0 {
		return f.subject + ": " + f.problem
	}
	file, function, _ := strings.Cut(f.subject, " ")
	if function != "" {
		function += " "
	}
	return fmt.Sprintf("%s:%d: %s%s", file, f.line, function, f.problem)
}

// skipped folders hold nothing that people wrote here.
var skipped = []string{".git", "bin", "dist", "node_modules"}

// readRepo reads the files below root.
func readRepo(t *testing.T, root string) *repo {
	t.Helper()
	r := &repo{texts: map[string]string{}, paths: map[string]bool{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && slices.Contains(skipped, d.Name()) {
			return filepath.SkipDir
		}
		r.paths[rel] = true
		if d.IsDir() || !wanted(rel) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return r.add(rel, string(text))
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// repoOf makes a repo of texts by path, to test a rule with.
func repoOf(t *testing.T, texts map[string]string) *repo {
	t.Helper()
	r := &repo{texts: map[string]string{}, paths: map[string]bool{}}
	for _, name := range sortedKeys(texts) {
		for dir := name; dir != "."; dir = path.Dir(dir) {
			r.paths[dir] = true
		}
		r.paths["."] = true
		if err := r.add(name, texts[name]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// wanted reports whether a rule reads this file. The go command ignores
// testdata too, and so may hold broken code on purpose.
func wanted(name string) bool {
	if strings.Contains("/"+name, "/testdata/") {
		return false
	}
	base := path.Base(name)
	return strings.HasSuffix(base, ".go") || strings.HasSuffix(base, ".md") ||
		base == "go.mod" || base == "go.work"
}

func (r *repo) add(name, text string) error {
	if !strings.HasSuffix(name, ".go") {
		r.texts[name] = text
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return err
	}
	r.sources = append(r.sources, &source{path: name, text: text, fset: fset, file: file})
	return nil
}

// parseInto parses the file once more, into a file set shared with others.
func (s *source) parseInto(fset *token.FileSet) (*ast.File, error) {
	return parser.ParseFile(fset, s.path, s.text, parser.SkipObjectResolution)
}

// packages groups the sources by folder.
func (r *repo) packages() map[string][]*source {
	byDir := map[string][]*source{}
	for _, s := range r.sources {
		byDir[s.dir()] = append(byDir[s.dir()], s)
	}
	return byDir
}

func (s *source) dir() string              { return path.Dir(s.path) }
func (s *source) isTest() bool             { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) line(pos token.Pos) int   { return s.fset.Position(pos).Line }
func (s *source) at(pos token.Pos) finding { return finding{subject: s.path, line: s.line(pos)} }

// imports returns the import paths with the position of each.
func (s *source) imports() map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, spec := range s.file.Imports {
		found[strings.Trim(spec.Path.Value, `"`)] = spec.Pos()
	}
	return found
}

// below reports whether the folder dir is top or lies inside it.
func below(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, top+"/")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
