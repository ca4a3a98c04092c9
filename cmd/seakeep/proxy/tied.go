package proxy

// tiedView counts requests that were tied to a copy of them at another door.
type tiedView struct {
	Registered uint64 `json:"registered"`
	Cancelled  uint64 `json:"cancelled"`
	Told       uint64 `json:"told"`
	Untold     uint64 `json:"untold"`
	// TooLate are those that were served here although their twin was, too:
	// work done twice, which both doors count.
	TooLate uint64 `json:"too_late"`
}

// tiedView returns nil if the file takes no tied requests.
func (p *Proxy) tiedView() *tiedView {
	p.mu.Lock()
	g := p.upstream.gate
	p.mu.Unlock()
	if g == nil {
		return nil
	}
	c, on := g.Tied()
	if !on {
		return nil
	}
	return &tiedView{c.Registered, c.Cancelled, c.Told, c.Untold, c.TooLate}
}
