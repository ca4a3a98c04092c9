package foreign

import "time"

// part is a set of requests with settings of their own: a route of Envoy, a
// method of gRPC. It becomes an operation, or the dependency's own settings.
type part struct {
	name    string // of the operation
	from    origin // of the name
	all     bool   // every request of the dependency that no other part takes
	total   bool   // it has a limit for the whole call,
	request bool   // and one for an attempt
	retries bool
	longest time.Duration      // of the whole call; 0: no limit
	match   func(op *block)    // writes which requests are its; may write nothing
	limits  func(b *block)     // writes into timeout
	retry   func(retry *block) // writes retry but for the budget
	once    func()             // is told that it makes no retries
	base    func()             // is told that the dependency itself has its settings
	hidden  func()             // is told that no request gets to it
}

// rungs writes the settings of a part into a dependency or an operation.
func (p *part) rungs(b *block) {
	p.limits(b.sub("timeout"))
	if p.retries {
		p.retry(b.sub("retry"))
	}
}

// arrange writes the parts of a dependency.
//
// An operation takes from its dependency what it does not write itself, while
// the parts inherit nothing from each other. So the part for everything goes
// into the dependency only if all others overwrite what it sets; else it
// becomes the last operation. The budget is shared by all, so it stands in the
// dependency, which then must have retries to hold it.
func arrange(dep *block, parts []*part, budget func(retry *block)) {
	base, others := split(parts)
	if base != nil && !coverable(base, others) {
		others = append(others, base)
		base = nil
	}
	holder := base
	for _, p := range others {
		if holder == nil && p.retries {
			holder = p
		}
	}
	if base != nil {
		base.base()
		base.rungs(dep)
	} else if holder != nil {
		holder.retry(dep.sub("retry"))
		dep.noteOf("retry", "this one holds the budget that the operations share")
	}
	if dep.has("retry") {
		budget(dep.sub("retry"))
	}
	for _, p := range others {
		op := dep.element("operations", p.name)
		op.put("name", showName(p.name), p.from)
		p.match(op)
		p.rungs(op)
		if !p.retries && dep.has("retry") {
			op.fill("retry", "none", "it makes no retries")
		}
		op.inherit(dep, "timeout")
		op.inherit(dep, "retry")
	}
}

// inherit leaves out of an operation's rung what the dependency's has alike.
func (op *block) inherit(dep *block, rung string) {
	own, above := op.find(rung), dep.find(rung)
	if own == nil || above == nil || own.sub == nil || above.sub == nil {
		return
	}
	kept := own.sub.items[:0]
	for _, it := range own.sub.items {
		same := above.sub.find(it.key)
		if same == nil || !it.alike(same) {
			kept = append(kept, it)
			continue
		}
		own.sub.stands(it.key, above.sub)
		if it.sub != nil {
			it.sub.instead = same.sub
		}
	}
	own.sub.items = kept
}

// alike reports whether two items say the same, wherever it comes from.
func (it *item) alike(other *item) bool {
	if it.sub == nil || other.sub == nil {
		return it.sub == nil && other.sub == nil && it.value == other.value
	}
	if len(it.sub.items) != len(other.sub.items) {
		return false
	}
	for _, below := range it.sub.items {
		same := other.sub.find(below.key)
		if same == nil || !below.alike(same) {
			return false
		}
	}
	return true
}

// split takes the part for everything apart. If there are several, the first
// counts, for no request gets past it.
func split(parts []*part) (base *part, others []*part) {
	for _, p := range parts {
		switch {
		case !p.all:
			others = append(others, p)
		case base == nil:
			base = p
		default:
			p.hidden()
		}
	}
	return base, others
}

// coverable reports whether the others can overwrite all that base sets.
func coverable(base *part, others []*part) bool {
	retries := false
	for _, p := range others {
		if base.total && !p.total || base.request && !p.request {
			return false
		}
		retries = retries || p.retries
	}
	return base.retries || !retries
}
