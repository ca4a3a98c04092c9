package queue

// ranked is an element of a heap: it knows who comes first and where it stands.
type ranked[E any] interface {
	before(E) bool
	spot() *int
}

// heap is a binary heap whose elements know their places, so that one can leave
// from the middle. Ranks must be total: then equal histories give equal orders.
type heap[E ranked[E]] []E

func (h *heap[E]) push(e E) {
	*h = append(*h, e)
	*e.spot() = len(*h) - 1
	h.up(len(*h) - 1)
}

func (h *heap[E]) remove(e E) {
	i, last := *e.spot(), len(*h)-1
	moved := (*h)[last]
	var none E
	(*h)[last] = none
	*h = (*h)[:last]
	if i < last {
		(*h)[i] = moved
		*moved.spot() = i
		h.fix(moved)
	}
}

// fix puts e where it belongs after its rank has changed.
func (h *heap[E]) fix(e E) {
	h.up(*e.spot())
	h.down(*e.spot())
}

func (h *heap[E]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !(*h)[i].before((*h)[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heap[E]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(*h) {
			return
		}
		if right := child + 1; right < len(*h) && (*h)[right].before((*h)[child]) {
			child = right
		}
		if !(*h)[child].before((*h)[i]) {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heap[E]) swap(i, j int) {
	s := *h
	s[i], s[j] = s[j], s[i]
	*s[i].spot(), *s[j].spot() = i, j
}
