package config

// placedChange is a change and where it stands.
type placedChange struct {
	*Change
	at      *field
	numbers []int // of the instances, in order
}

// crossChanges refuses changes of the same thing of which one begins within
// the other and ends after it: it could not be said what the end of the first
// gives back.
func (st *staging) crossChanges(all []placedChange) {
	for i, b := range all {
		for _, a := range all[:i] {
			first, second := a.Change, b.Change
			if second.At < first.At {
				first, second = second, first
			}
			if cross(first, second) && a.sameThing(&b) {
				b.at.fail("overlaps in part with "+a.at.path+", which changes the same",
					"let one end before the other begins, or lie within it")
				break
			}
		}
	}
}

// cross reports whether the second change begins within the first, which began
// before it, and does not end within it.
func cross(first, second *Change) bool {
	if first.Length == 0 || first.At == second.At || second.At >= first.At+first.Length {
		return false
	}
	return second.Length == 0 || second.At+second.Length > first.At+first.Length
}

// sameThing reports whether two changes set the same.
func (c *placedChange) sameThing(other *placedChange) bool {
	if c.Of != other.Of || c.thing() != other.thing() {
		return false
	}
	if c.Route != "" && other.Route != "" && c.Route != other.Route {
		return false
	}
	a, b := c.numbers, other.numbers
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// thing is what a change sets: an instance is down or it is not, for whatever
// reason.
func (c *placedChange) thing() ChangeKind {
	if c.Kind == Restart {
		return GoDown
	}
	return c.Kind
}
