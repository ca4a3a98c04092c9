package tidy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// yaml is the one module that the library needs beside the standard library,
// and yamlUser the one package that uses it: whoever imports Seakeep inherits
// nothing else.
const (
	yaml     = "go.yaml.in/yaml/v4"
	yamlUser = "config"
)

// aside are modules that stay out of go.work: they are tools, and their
// requirements must not reach what we ship.
var aside = []string{"internal/tools"}

// directives returns the arguments of a verb such as "require" in the text of
// a go.mod or go.work, one string for each line, comments cut off.
func directives(text, verb string) (found []string) {
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case line == "":
		case line == ")":
			block = ""
		case strings.HasSuffix(line, "("):
			block = strings.TrimSpace(strings.TrimSuffix(line, "("))
		case block == verb:
			found = append(found, line)
		case strings.HasPrefix(line, verb+" "):
			found = append(found, strings.TrimPrefix(line, verb+" "))
		}
	}
	return found
}

func checkModules(r *repo) (found []finding) {
	add := func(file, format string, args ...any) {
		found = append(found, finding{subject: file, problem: fmt.Sprintf(format, args...)})
	}
	if require := directives(r.texts["go.mod"], "require"); len(require) != 1 ||
		!strings.HasPrefix(require[0], yaml+" ") {
		add("go.mod", "requires %q: the library needs %s and nothing else", require, yaml)
	}
	var used []string
	for _, use := range directives(r.texts["go.work"], "use") {
		used = append(used, path.Clean(use))
	}
	for _, file := range sortedKeys(r.texts) {
		if path.Base(file) != "go.mod" {
			continue
		}
		if directives(r.texts[file], "replace") != nil {
			add(file, "replaces a module, which go install refuses: put the line into go.work")
		}
		dir := path.Dir(file)
		if slices.Contains(used, dir) == slices.Contains(aside, dir) {
			add(file, "must be in go.work, or else in aside in internal/tidy/modules_test.go")
		}
		want := strings.TrimSuffix(modulePath+"/"+dir, "/.")
		if module := directives(r.texts[file], "module"); len(module) != 1 || module[0] != want {
			add(file, "names its module %q; by its folder it is %s", module, want)
		}
	}
	return found
}

// checkThirdParty keeps other people's modules out of the library, its tests
// included: a test's requirement is in go.mod like any other.
func checkThirdParty(r *repo) (found []finding) {
	for _, s := range r.sources {
		if r.moduleOf(s.dir()) != "." {
			continue
		}
		imports := s.imports()
		for _, name := range sortedKeys(imports) {
			first, _, _ := strings.Cut(name, "/")
			_, ours := folderOf(name)
			if ours || !strings.Contains(first, ".") || name == yaml && (s.dir() == yamlUser || strings.HasPrefix(s.dir(), yamlUser+"/")) {
				continue
			}
			f := s.at(imports[name])
			f.problem = "imports " + name + ": the library has no third-party imports, save " +
				yaml + " in " + yamlUser
			found = append(found, f)
		}
	}
	return found
}

// moduleOf returns the folder of the module that dir belongs to.
func (r *repo) moduleOf(dir string) string {
	for dir != "." && r.texts[path.Join(dir, "go.mod")] == "" {
		dir = path.Dir(dir)
	}
	return dir
}

// hollow are names that say nothing of what a package is for, and so gather
// everything.
var hollow = []string{"util", "utils", "common", "misc", "helper", "helpers", "pkg"}

func checkNames(r *repo) (found []finding) {
	packages := r.packages()
	for _, dir := range sortedKeys(packages) {
		words := append(strings.Split(dir, "/"), packages[dir][0].file.Name.Name)
		for _, word := range words {
			if slices.Contains(hollow, word) {
				found = append(found, finding{subject: dir,
					problem: "is named " + word + ", which says nothing: name it after what it " +
						"gives, or move its parts to their users"})
				break
			}
		}
	}
	return found
}

func TestModulesCatch(t *testing.T) {
	const (
		root    = "module " + modulePath + "\n\nrequire go.yaml.in/yaml/v4 v4.0.0\n"
		program = "module " + modulePath + "/cmd/seakeep\nrequire (\n\tx.org/y v1.0.0\n)\n"
		work    = "use (\n\t.\n\t./cmd/seakeep\n)\nreplace " + modulePath + " v0.0.0 => ./\n"
	)
	with := func(file, text string) *repo {
		texts := map[string]string{"go.mod": root, "cmd/seakeep/go.mod": program, "go.work": work,
			"internal/tools/go.mod": "module " + modulePath + "/internal/tools\n"}
		texts[file] = text
		return repoOf(t, texts)
	}
	expect(t, checkModules(with("go.mod", root)))
	expect(t, checkModules(with("go.mod", root+"require x.org/y v1 // indirect\n")), "nothing else")
	expect(t, checkModules(with("go.mod", "module "+modulePath+"\n")), "nothing else")
	expect(t, checkModules(with("cmd/seakeep/go.mod", program+"replace a => b\n")),
		"go install refuses")
	expect(t, checkModules(with("bench/go.mod", "module bench\n")),
		"must be in go.work", "by its folder")
	expect(t, checkModules(with("go.work", "use .\n")), "cmd/seakeep/go.mod: must be in go.work")
	expect(t, checkModules(with("go.work", work+"use ./internal/tools\n")), "internal/tools/go.mod")
}

func TestThirdPartyCatches(t *testing.T) {
	with := func(file, imported string) *repo {
		return repoOf(t, map[string]string{
			"go.mod":             "module m\n",
			"cmd/seakeep/go.mod": "module m/c\n",
			file:                 "package p\nimport _ \"" + imported + "\"\n",
		})
	}
	expect(t, checkThirdParty(with("config/a.go", yaml)))
	expect(t, checkThirdParty(with("config/a.go", "net/http")))
	expect(t, checkThirdParty(with("core/a.go", "github.com/seakeep/seakeep/core")))
	expect(t, checkThirdParty(with("cmd/seakeep/proxy/a.go", "github.com/spf13/cobra")))
	expect(t, checkThirdParty(with("core/retry/a.go", yaml)), "no third-party imports")
	expect(t, checkThirdParty(with("config/a.go", "gopkg.in/yaml.v3")), "gopkg.in/yaml.v3")
	expect(t, checkThirdParty(with("a_test.go", "pgregory.net/rapid")),
		"a_test.go:2: imports pgregory.net")
}

func TestNamesCatch(t *testing.T) {
	with := func(file, clause string) *repo {
		return repoOf(t, map[string]string{file: "package " + clause + "\n"})
	}
	expect(t, checkNames(with("core/retry/a.go", "retry")))
	expect(t, checkNames(with("core/util/a.go", "clock")), "core/util: is named util")
	expect(t, checkNames(with("internal/x/a.go", "helpers")), "internal/x: is named helpers")
	expect(t, checkNames(with("pkg/retry/a.go", "retry")), "pkg/retry: is named pkg")
}
