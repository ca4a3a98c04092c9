package foreign

import "fmt"

// settler collects the fates of all settings, in the order of the input.
type settler struct {
	settings []Setting
	touched  map[*node]bool // nodes with a mark in or below them
	why      map[string]string
}

const unknownKey = "the importer does not know this key; look up what it does, " +
	"and whether the policy file has something like it"

// settle returns what became of every setting below n. Each leaf is counted in
// exactly one Setting: its own, or that of a section above it. why has reasons
// for dropping what was not asked for, by folded key.
func (n *node) settle(why map[string]string) []Setting {
	s := &settler{touched: map[*node]bool{}, why: why}
	s.touch(n)
	s.visit(n, -1)
	return s.settings
}

func (s *settler) touch(n *node) bool {
	found := n.mark != nil
	for _, kid := range n.kids {
		if s.touch(kid) {
			found = true
		}
	}
	if found {
		s.touched[n] = true
	}
	return found
}

// visit settles what is below n. cover is the place in settings of a marked
// section around n, or -1.
func (s *settler) visit(n *node, cover int) {
	if n.mark == nil && cover >= 0 && !s.touched[n] {
		s.settings[cover].Count += n.leaves()
		return
	}
	if n.mark == nil && !s.touched[n] {
		s.forget(n)
		return
	}
	if n.mark != nil {
		cover = len(s.settings)
		s.settings = append(s.settings, n.settled())
	}
	if len(n.kids) == 0 {
		s.settings[cover].Count++
		return
	}
	for _, kid := range n.kids {
		s.visit(kid, cover)
	}
	// A section whose every setting has a fate of its own says nothing.
	if n.mark != nil && s.settings[cover].Count == 0 {
		s.settings = append(s.settings[:cover], s.settings[cover+1:]...)
	}
}

// forget drops what nobody asked for.
func (s *settler) forget(n *node) {
	note := unknownKey
	switch reason, known := s.why[fold(n.name())]; {
	case n.null:
		note = "holds nothing, as if it were left out"
	case known:
		note = reason
	}
	n.drop(note)
	dropped := n.settled()
	dropped.Count = n.leaves()
	s.settings = append(s.settings, dropped)
}

// name is the closest key, which in a list is the list's.
func (n *node) name() string {
	for at := n; at != nil; at = at.up {
		if at.key != "" {
			return at.key
		}
	}
	return ""
}

// leaves counts the settings in n. An empty section is one.
func (n *node) leaves() int {
	if len(n.kids) == 0 {
		return 1
	}
	total := 0
	for _, kid := range n.kids {
		total += kid.leaves()
	}
	return total
}

const mostTargets = 8 // in a report; more of the same tell nothing new

// settled is n's Setting, without its count.
func (n *node) settled() Setting {
	s := Setting{Line: n.line, Path: n.path(), Fate: n.mark.fate}
	if n.kind == scalar && !n.null {
		s.Value = shorten(n.text)
	}
	s.To = n.mark.targets()
	for i, note := range n.mark.notes {
		switch {
		case i == mostTargets:
			s.Note += "; and more"
			return s
		case i > 0:
			s.Note += "; "
		}
		s.Note += note
	}
	return s
}

// targets names what stands for a node, each key once.
func (m *mark) targets() (names []string) {
	seen := map[string]bool{}
	for _, to := range m.to {
		name := to.b.path(to.key)
		if !seen[name] && len(seen) < mostTargets {
			names = append(names, name)
		}
		seen[name] = true
	}
	if more := len(seen) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}
