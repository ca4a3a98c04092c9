package shed

import "github.com/seakeep/seakeep/core"

// Cohorts is how many parts the users of one class are divided into. With 128
// of them, as DAGOR has, one more or less is under 1 % of a class.
const Cohorts = 128

// levels is how many levels there are.
const levels = core.Criticalities * Cohorts

// Level is how important a request is, finely: its class times Cohorts, plus
// its user's cohort. A higher one is refused later.
type Level uint16

// LevelOf returns the level of a request of class c whose user is in a cohort,
// which is taken modulo Cohorts. A class that does not exist is the nearest
// that does.
func LevelOf(c core.Criticality, cohort uint8) Level {
	class := min(max(c.Index(), 0), core.Criticalities-1)
	return Level(class*Cohorts + int(cohort%Cohorts))
}

// Class returns the level's class.
func (l Level) Class() core.Criticality { return core.CriticalityAt(l.class()) }

// Cohort returns the level's cohort.
func (l Level) Cohort() uint8 { return uint8(l.clamp() % Cohorts) }

func (l Level) clamp() Level { return min(l, levels-1) }
func (l Level) class() int   { return int(l.clamp()) / Cohorts }

// CohortOf returns a user's cohort. Everybody who uses the same epoch gets the
// same answer, so that a request which is let in at the entry is let in by all
// the services behind it, and a user is either served or not. The epoch, such
// as the hour, deals the cohorts anew: nobody is last for ever.
//
// The hash is FNV-1a over the user and the epoch, with the finishing steps of
// MurmurHash3, because the high bits of FNV alone hardly depend on the last
// bytes. It allocates nothing.
func CohortOf(user string, epoch uint64) uint8 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(user) {
		h = (h ^ uint64(user[i])) * prime
	}
	for range 8 {
		h = (h ^ epoch&0xff) * prime
		epoch >>= 8
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return uint8((h ^ h>>33) % Cohorts)
}
