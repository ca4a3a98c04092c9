package h2

import (
	"slices"
	"time"
)

// calm counts what a client sends that asks for nothing: each frame costs one of
// a stock, which grows with time and with each request that is answered.
type calm struct {
	spent int
	since time.Time // since when growth with time was not counted
}

// charge takes frames from the stock.
func (k *calm) charge(frames int) error {
	if k.spent += frames; k.spent <= calmFirst {
		return nil
	}
	now := time.Now()
	grown := int(now.Sub(k.since).Seconds() * calmEach)
	k.since = now
	if k.spent = max(k.spent-grown, 0); k.spent > calmFirst {
		return errTooMuch
	}
	return nil
}

// answered is one more request that was.
func (k *calm) answered() { k.spent = max(k.spent-calmAnswer, 0) }

// sent is a piece of a body that the client may give window back for, in pieces of
// a few kilobytes, for the stream and the connection.
func (k *calm) sent(bytes int) { k.spent = max(k.spent-2-bytes/calmBytes, 0) }

// past is which streams have ended lately, and who ended them.
type past struct {
	ids [maxStreams]uint32
	own [maxStreams]bool // it was us, perhaps while the client was sending
	at  int
}

func (p *past) add(id uint32, ours bool) {
	p.ids[p.at], p.own[p.at] = id, ours
	p.at = (p.at + 1) % len(p.ids)
}

// ours reports whether a stream is one that we have ended lately.
func (p *past) ours(id uint32) bool {
	i := slices.Index(p.ids[:], id)
	return i >= 0 && p.own[i]
}

// has reports whether a stream has ended lately.
func (p *past) has(id uint32) bool { return slices.Contains(p.ids[:], id) }
