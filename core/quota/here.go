package quota

// Here returns how many requests of the tenant with this number have entered
// and not left.
func (t *Table) Here(flow int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if flow < 0 || flow >= len(t.m.rows) {
		return 0
	}
	return t.m.rows[flow].here
}
