package check

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/seakeep/seakeep/config"
)

// mostFiles is how many files a graph may have: each service has one, and a
// mistake in a name must not read the disk.
const mostFiles = 1000

// Follow adds to the files those that their dependencies name as their own
// policies, and theirs, each once, also one that is given twice. Read reads one. What cannot be read is an
// error, as is a graph of more than 1,000 files; the mistakes of a file are a
// config.Errors.
func Follow(files []*config.File, read func(path string) (*config.File, error)) ([]*config.File, error) {
	seen := map[string]bool{}
	files = slices.DeleteFunc(slices.Clone(files), func(f *config.File) bool {
		path := filepath.Clean(f.Name())
		twice := seen[path]
		seen[path] = true
		return twice
	})
	for i := 0; i < len(files); i++ {
		for _, d := range files[i].Dependencies {
			if d.Policy == "" {
				continue
			}
			path := PolicyPath(files[i], d)
			if seen[path] {
				continue
			}
			seen[path] = true
			f, err := read(path)
			if err != nil {
				return nil, named(files[i], d, err)
			}
			if len(files) == mostFiles {
				return nil, named(files[i], d, errTooMany)
			}
			files = append(files, f)
		}
	}
	return files, nil
}

var errTooMany = errors.New("the graph has more than 1000 files")

// named tells which key leads to what cannot be read.
func named(f *config.File, d *config.Dependency, err error) error {
	var mistakes config.Errors
	if errors.As(err, &mistakes) {
		return err // with places of its own
	}
	line, column, _ := f.Places().Of("dependencies." + quoted(d.Name) + ".policy")
	return fmt.Errorf("%s:%d:%d: dependencies.%s.policy: %w", f.Name(), line, column, d.Name, err)
}
