package main

import "cmp"

// row is one kind of traffic.
type row struct {
	id, title string
	size      int     // of an answer's body
	rate      float64 // requests a second; 0: as many as there can be
	h2In      bool    // clients speak HTTP/2
	h2Both    bool    // ... and so does the backend: calls shaped like gRPC
	// most is how much of plain's processor time Seakeep may take, with its
	// whole ladder.
	most float64
}

// conns is how many connections, or streams, are in use at once.
const (
	conns     = 64
	h2Conns   = 4 // that share the streams
	fixedRate = 2000
)

func rows() []row {
	return []row{
		{id: "a", title: "HTTP/1.1, 1 KiB, closed loop", size: 1 << 10, most: 0.60},
		{id: "b", title: "HTTP/1.1, 1 KiB, 2,000/s", size: 1 << 10, rate: fixedRate, most: 0.75},
		{id: "c", title: "HTTP/2 in, 1 KiB, closed loop", size: 1 << 10, h2In: true, most: 0.70},
		{id: "d", title: "gRPC, HTTP/2 on both sides, closed loop", h2In: true, h2Both: true,
			most: 1.10},
		{id: "e", title: "gRPC, HTTP/2 on both sides, 2,000/s", h2In: true, h2Both: true,
			rate: fixedRate, most: 1.10},
		{id: "f", title: "HTTP/1.1, 64 KiB, closed loop", size: 64 << 10, most: 1.10},
		{id: "g", title: "HTTP/1.1, 1 MiB, closed loop", size: 1 << 20, most: 1.10},
	}
}

// mostLadder is how much more the whole ladder may cost than none of it.
const mostLadder = 1.10

// mostIdle is how much memory an idle connection may take.
const mostIdle = 20 << 10

func (r row) takes(p party) bool {
	return p.installed() && (!r.h2In || p.h2In) && (!r.h2Both || p.h2Both)
}

// clients connects to a proxy.
func (r row) clients(p *process) (all []client, err error) {
	if r.h2In {
		return newMultis(cmp.Or(p.h2, p.address), h2Conns, conns/h2Conns, r.size, r.h2Both), nil
	}
	for range conns {
		c, err := newRaw(p.address, r.size)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
