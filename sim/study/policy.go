package study

import (
	"strings"

	"github.com/seakeep/seakeep/config"
)

// settings finds what a policy says of a dependency, or of an operation of it;
// nil: nothing.
func settings(f *config.File, name string) *config.Settings {
	if f == nil {
		return nil
	}
	dep, op, _ := strings.Cut(name, "/")
	d := f.Dependency(dep)
	if d == nil {
		return nil
	}
	if op == "" {
		return &d.Settings
	}
	if o := d.Operation(op); o != nil {
		return &o.Settings
	}
	return nil
}
