// Package degrade gives features up in a set order while there is too much to
// do, and takes them back in reverse.
//
// Under pressure some work is worth less than the rest: prefetching, before
// personalization, before live pages, before batch work. Which, and in which
// order, is decided in quiet times and written in the policy file, so that in
// an incident nobody has to, and so that what goes has been tried.
//
// # Algorithm
//
// The level is how many features of the list are off, the first so many. A
// pressure is told: 0 is idle, 1 at the target. At On or above one more feature
// goes, and then none for Step, so that what its going did can be seen. Once
// the pressure has been at or below Off for the whole of Back, one comes back,
// the last that went; then one more for every Back. Between Off and On nothing
// moves: the relief that a feature's going brings must not call it back.
//
// Time passes lazily, when somebody asks. Silence brings features back too: a
// pressure counts for Back after it was told, and then as calm, so that a
// service without requests does not stay degraded.
//
// An operator may set the level by hand; it holds until Auto. A floor, which the
// policy of an error budget sets, keeps a number of features off whatever the
// pressure; the level by hand overrides it.
//
// # Locking
//
// One mutex around the machine. The list and its index never change, so that
// Allows looks a name up before it takes the lock.
//
// # Source
//
// Planned degradation in steps with hysteresis is common practice; "Site
// Reliability Engineering", chapter 22, asks that it be simple, ordered and
// exercised.
package degrade
