package idempotency

import "github.com/seakeep/seakeep/core"

// State says where a key is in its life.
type State uint8

const (
	// Fresh: the key is free. It is the zero value, that of a key nobody knows.
	Fresh State = iota
	// Running: a request has claimed the key and has not ended.
	Running
	// Done: the write ended, and its answer is kept.
	Done
	// NotStored: the write ended, and its answer could not be kept.
	NotStored
	// Unknown: nobody knows whether the write was done.
	Unknown
)

// String returns the state in lower case with hyphens.
func (s State) String() string {
	names := [...]string{"fresh", "running", "done", "not-stored", "unknown"}
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Fingerprint tells whether two requests are the same: a hash of all that makes
// them differ. It must stay the same from one release to the next.
type Fingerprint [32]byte

// Claim is a request that wants to run under a key.
type Claim struct {
	Key         string      // who asks, what for, and the client's key, in one
	Name        string      // the same for people; it decides nothing and holds no secret
	Fingerprint Fingerprint // of the request
	Owner       string      // this run's name; no two runs have the same
	// Instead names the run of an Unknown record that this claim takes over,
	// because that one is known not to have run. Empty: it takes over none.
	Instead string
}

// Ending is how a run ended. State is Done, NotStored, Unknown, or Fresh if
// surely nothing was done, which frees the key. Answer goes with Done.
type Ending struct {
	State  State
	Answer []byte
}

// Record is what a store knows of one key. The zero value is that of a Fresh
// one. Its methods are the rules of a key's life, for stores to apply: they
// return what to put in its place and change nothing themselves. conf must
// have its defaults.
type Record struct {
	Claim
	State  State
	Until  core.Instant // Running: when it becomes Unknown; else when it becomes Fresh
	Answer []byte       // of Done
}

// At returns the record as it stands at now.
func (r Record) At(now core.Instant, conf Config) Record {
	if r.State == Running && now >= r.Until {
		r.State, r.Until = Unknown, r.Until.Add(conf.doubt())
	}
	if r.State != Running && now >= r.Until {
		return Record{}
	}
	return r
}

// Admit says why c, which asks for the key, does not run: NoReason if it does,
// and then the record returned is its claim, to be stored; KeyReplayed if it
// gets the answer in the record returned; KeyReused, KeyBusy, KeyNotStored or
// KeyUnknown if it is refused because of the record returned. Whether it is
// another request is judged first, so that the verdict does not depend on
// timing, and its sender sees nothing of the answer.
func (r Record) Admit(now core.Instant, conf Config, c Claim) (Record, core.Reason) {
	r = r.At(now, conf)
	switch {
	case r.State == Fresh:
	case r.Fingerprint != c.Fingerprint:
		r.Answer = nil
		return r, core.KeyReused
	case r.State == Running:
		return r, core.KeyBusy
	case r.State == Done:
		return r, core.KeyReplayed
	case r.State == NotStored:
		return r, core.KeyNotStored
	case c.Instead == "" || c.Instead != r.Owner:
		return r, core.KeyUnknown
	}
	c.Instead = ""
	return Record{Claim: c, State: Running, Until: now.Add(conf.Longest)}, core.NoReason
}

// Report returns the record after the run named owner has ended, and whether
// that changed it. It does not if the key belongs to another run meanwhile, or
// if an end is known already. An Unknown record takes the end of its run as a
// Running one does: a run that was given up for lost may end after all, and an
// operator may find out how it did. An answer that is too large makes NotStored
// of Done.
func (r Record) Report(now core.Instant, conf Config, owner string, e Ending) (Record, bool) {
	if e.State == Running || e.State > Unknown {
		panic("idempotency: Report of a run that has not ended")
	}
	r = r.At(now, conf)
	if r.Owner != owner || r.State != Running && r.State != Unknown {
		return r, false
	}
	switch {
	case e.State == Fresh:
		return Record{}, true
	case e.State == Unknown:
		r.Until = now.Add(conf.doubt())
	default:
		r.Until = now.Add(conf.TTL)
	}
	r.State = e.State
	if e.State == Done {
		r.Answer = e.Answer
		if int64(len(e.Answer)) > conf.EntryBytes {
			r = r.Sealed()
		}
	}
	return r, true
}

// Sealed returns a Done record without its answer, for which there is no room.
func (r Record) Sealed() Record {
	r.State, r.Answer = NotStored, nil
	return r
}

// Orphaned returns a Running record after its owner died at or before now.
func (r Record) Orphaned(now core.Instant, conf Config) Record {
	if r.State == Running {
		r.State, r.Until = Unknown, now.Add(conf.doubt())
	}
	return r
}

// Cost is the room that the record takes, for Config.Bytes.
func (r Record) Cost() int64 {
	return overhead + int64(len(r.Key)+len(r.Name)+len(r.Owner)+len(r.Answer))
}
