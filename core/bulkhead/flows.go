package bulkhead

// flows counts the slots of each flow that has any, so at most as many rows as
// there are slots. The rows stand in a slice because a map has no order that
// could be replayed.
type flows struct {
	at   map[int]int // flow to row
	rows []row
}

type row struct{ flow, slots int }

func (f *flows) of(flow int) int {
	if i, ok := f.at[flow]; ok {
		return f.rows[i].slots
	}
	return 0
}

// add takes a slot for a flow that has fewer than most, and returns how many it
// has now; 0: it has most already. most of 0 is no bound.
func (f *flows) add(flow, most int) int {
	i, ok := f.at[flow]
	if !ok {
		if f.at == nil {
			f.at = map[int]int{}
		}
		i = len(f.rows)
		f.at[flow] = i
		f.rows = append(f.rows, row{flow: flow})
	}
	if most > 0 && f.rows[i].slots >= most {
		return 0
	}
	f.rows[i].slots++
	return f.rows[i].slots
}

// remove takes a slot from a flow, and returns how many it has left; -1: it had
// none.
func (f *flows) remove(flow int) int {
	i, ok := f.at[flow]
	if !ok {
		return -1
	}
	if f.rows[i].slots--; f.rows[i].slots > 0 {
		return f.rows[i].slots
	}
	last := len(f.rows) - 1
	f.rows[i] = f.rows[last]
	f.at[f.rows[i].flow] = i
	f.rows = f.rows[:last]
	delete(f.at, flow)
	return 0
}
