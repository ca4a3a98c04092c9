package seakeep

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/fault"
)

// Faults returns what hurts attempts of a dependency on purpose, or with no name
// what hurts requests behind the door; nil: the file has no such dependency, or
// does not say that it may be hurt.
func (s *Set) Faults(dependency string) *Faults { return s.table.Load().faults[dependency] }

// faults prepares what hurts a dependency, or the door, and begins no rule yet.
// One that was there before stays, so that orders outlive a reload.
func (b *builder) faults(name string, c *config.Faults) (f *Faults, err error) {
	switch f = b.old.faults[name]; {
	case name != "" && b.options.Faults != nil:
		return b.options.Faults, nil
	case f == nil && c == nil:
		return nil, nil
	case f == nil:
		if f, err = newFaults(fault.Config{Name: name}, b.options.Draw, b.options.Observer); err != nil {
			return nil, err
		}
	}
	b.next.faults[name] = f
	return f, nil
}

// useFaults lets the file's rules begin, and ends those of what is gone.
func (b *builder) useFaults(file *config.File) {
	for _, d := range file.Dependencies {
		if f := b.next.faults[d.Name]; f != nil {
			f.use(d.Faults, d.Name)
		}
	}
	if f := b.next.faults[""]; f != nil {
		f.use(file.Serve.Faults, file.Service)
	}
	for name, f := range b.old.faults {
		if b.next.faults[name] == nil {
			f.use(nil, name)
		}
	}
}
