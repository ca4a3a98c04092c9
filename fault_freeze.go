package seakeep

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
