package dashboard

// ring keeps the latest of something.
type ring[T any] struct {
	all  []T
	most int
	next int // where the next goes, once it is full
}

func newRing[T any](most int) ring[T] { return ring[T]{most: most} }

func (r *ring[T]) push(v T) {
	if len(r.all) < r.most {
		r.all = append(r.all, v)
		return
	}
	r.all[r.next] = v
	r.next = (r.next + 1) % r.most
}

// each visits them, the oldest first.
func (r *ring[T]) each(visit func(T)) {
	for i := range r.all {
		visit(r.all[(r.next+i)%len(r.all)])
	}
}
