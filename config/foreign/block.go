package foreign

import (
	"fmt"
	"strings"
)

// block is a section of the policy file while it is being made.
type block struct {
	up    *block
	name  string // its key above, or the operation's name
	items []*item

	instead   *block            // a block with the same content, written in place of this one
	elsewhere map[string]*block // where keys stand that were left out here
}

// item is one line of a block, or a block or a list of blocks below it.
type item struct {
	key, value string // of a section: what to write if it stays empty
	from       origin
	note       string // the comment
	sub        *block
	list       []*block
	lines      []line // of a list of single values
}

// line is an element of a list.
type line struct {
	value string
	from  origin
}

// origin is where a value comes from: a node of the input and how well the
// value stands for it. Also are further nodes of which the same is true.
type origin struct {
	n    *node
	fate Fate
	note string // how it differs, or what helps to understand it
	also []*node
}

func (o origin) marks(to target) {
	o.n.note(o.fate, to, o.note)
	for _, n := range o.also {
		n.note(o.fate, to, o.note)
	}
}

// comment says where a value comes from.
func (o origin) comment() string {
	if o.n == nil {
		return o.note
	}
	text := fmt.Sprintf("line %d: %s", o.n.line, o.n.short())
	if o.note != "" {
		text += "; " + o.note
	}
	return text
}

// put writes a value that comes from the input. Without a node it is fill.
func (b *block) put(key, value string, from origin) {
	b.items = append(b.items, &item{key: key, value: value, from: from, note: from.comment()})
	from.marks(target{b, key})
}

// fill writes a value that no setting of the input asked for.
func (b *block) fill(key, value, why string) {
	b.items = append(b.items, &item{key: key, value: value, note: why})
}

// find returns the item of a key, or nil.
func (b *block) find(key string) *item {
	for _, it := range b.items {
		if it.key == key {
			return it
		}
	}
	return nil
}

// stands notes that a key of b is written in another block.
func (b *block) stands(key string, at *block) {
	if b.elsewhere == nil {
		b.elsewhere = map[string]*block{}
	}
	b.elsewhere[key] = at
}

// sub returns the section below key. It is made if it is not there.
func (b *block) sub(key string) *block {
	if it := b.find(key); it != nil && it.sub != nil {
		return it.sub
	}
	sub := &block{up: b, name: key}
	b.items = append(b.items, &item{key: key, sub: sub})
	return sub
}

// has reports whether b has a section or a value of that name that will be
// written.
func (b *block) has(key string) bool {
	it := b.find(key)
	return it != nil && !it.empty()
}

// empty reports whether nothing would be written for an item.
func (it *item) empty() bool { return it.sub != nil && it.value == "" && it.sub.empty() }

func (b *block) empty() bool {
	for _, it := range b.items {
		if !it.empty() {
			return false
		}
	}
	return true
}

// element appends a block to the list below key.
func (b *block) element(key, name string) *block {
	sub := &block{up: b, name: key + "." + name}
	if it := b.find(key); it != nil {
		it.list = append(it.list, sub)
		return sub
	}
	b.items = append(b.items, &item{key: key, list: []*block{sub}})
	return sub
}

// append writes one more value to the list below key.
func (b *block) append(key, value string, from origin) {
	from.marks(target{b, key})
	if it := b.find(key); it != nil {
		it.lines = append(it.lines, line{value, from})
		return
	}
	b.items = append(b.items, &item{key: key, lines: []line{{value, from}}})
}

// length is how many values the list below key has.
func (b *block) length(key string) int {
	if it := b.find(key); it != nil {
		return len(it.lines)
	}
	return 0
}

// path names key in b from the top of the policy file; "" is b itself.
func (b *block) path(key string) string {
	parts := []string{}
	if key != "" {
		parts = append(parts, strings.Trim(key, "'"))
	}
	if b.instead != nil {
		return b.instead.path(key)
	}
	if at := b.elsewhere[key]; at != nil {
		return at.path(key)
	}
	for at := b; at.up != nil; at = at.up {
		parts = append(parts, at.name)
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, ".")
}

// added lists the values that no setting of the input asked for.
func (b *block) added(all []Addition) []Addition {
	if all == nil {
		all = []Addition{}
	}
	for _, it := range b.items {
		switch {
		case it.sub != nil:
			all = it.sub.added(all)
		case it.key == "name": // every operation has one
		case it.value != "" && it.from.n == nil && it.note != "":
			all = append(all, Addition{b.path(it.key), it.value, it.note})
		}
		for _, sub := range it.list {
			all = sub.added(all)
		}
	}
	return all
}

// order sorts the items of b by key, and leaves out other keys.
func (b *block) order(keys ...string) {
	sorted := make([]*item, 0, len(b.items))
	for _, key := range keys {
		for _, it := range b.items {
			if it.key == key {
				sorted = append(sorted, it)
			}
		}
	}
	b.items = sorted
}

// noteOf gives the section below key a comment.
func (b *block) noteOf(key, note string) {
	if it := b.find(key); it != nil {
		it.note = note
	}
}
