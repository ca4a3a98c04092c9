package seakeep

import (
	"fmt"

	"github.com/seakeep/seakeep/core/fault"
)

// Freeze ends what runs and refuses what is to begin, for a reason, until it is
// called with an empty one. Those who hang are let go of.
func (f *Faults) Freeze(why string) {
	if why == "" {
		f.frozen.Store(nil)
		return
	}
	if f.frozen.Swap(&why) == nil {
		f.Stop("")
	}
}

// Frozen returns why nothing may be hurt for now; empty: it may.
func (f *Faults) Frozen() string {
	if f == nil {
		return ""
	}
	if why := f.frozen.Load(); why != nil {
		return *why
	}
	return ""
}

// thawed is the error of a start while nothing may be hurt.
func (f *Faults) thawed() error {
	if why := f.frozen.Load(); why != nil {
		return fmt.Errorf("%w: %s", fault.ErrRefused, *why)
	}
	return nil
}

// Check reports why Start would not begin a rule now, and begins nothing.
func (f *Faults) Check(r fault.Rule, force bool) error {
	if err := f.thawed(); err != nil {
		return err
	}
	return f.inj.Check(Now(), r, force)
}
