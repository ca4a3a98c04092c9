package core

// Criticality says how important a request is to whoever sent it. The zero
// value is Critical, the class of a request about which nothing was said.
// More important classes compare as greater. The four classes, their names and
// the rule that the lower ones are refused first are those of Google's Site
// Reliability Engineering, chapter 21.
type Criticality int8

const (
	// Sheddable may be refused often, and wholly for a while.
	Sheddable Criticality = iota - 2
	// SheddablePlus is for batch work that can be done later.
	SheddablePlus
	// Critical is for requests whose users notice. Provision for these.
	Critical
	// CriticalPlus is for the few requests that are refused last.
	CriticalPlus
)

// Criticalities is how many classes there are.
const Criticalities = 4

var criticalityNames = [...]string{"sheddable", "sheddable_plus", "critical", "critical_plus"}

// String returns the class's name as headers and metrics have it.
func (c Criticality) String() string { return nameOf(criticalityNames[:], c.Index()) }

// Index returns 0 for Sheddable to 3 for CriticalPlus, for use with an array
// of length Criticalities.
func (c Criticality) Index() int { return int(c) + 2 }

// CriticalityAt is the inverse of Index.
func CriticalityAt(index int) Criticality { return Criticality(index - 2) }

// ParseCriticality reads a class by its name, in any case. It reports false for
// anything else.
func ParseCriticality(name string) (Criticality, bool) {
	for i, known := range criticalityNames {
		if equalFold(name, known) {
			return CriticalityAt(i), true
		}
	}
	return Critical, false
}

// equalFold compares ASCII text, the second in lower case, in any case.
func equalFold(a, lower string) bool {
	if len(a) != len(lower) {
		return false
	}
	for i := range len(a) {
		c := a[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
