package seakeep

import (
	"context"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// Tried is what one attempt tells the driver.
type Tried struct {
	Result core.Result
	Facts  call.Facts // about repeating it; needed when it failed
	Note   *Note      // what few attempts have to tell; nil: nothing
}

// Note is what few attempts have to tell. It is apart from Tried because that
// is returned in registers as long as it is small, which every call feels.
type Note struct {
	Faults string // what hurt it on purpose; see Hurt

	// Then, of a call that may have copies, is told what becomes of the
	// attempt. With kept it is what the call goes by until the next; that is
	// said on Run's goroutine, and more than one may be kept in turn. Without,
	// nobody wants what came of it; that is said on any goroutine.
	Then func(kept bool)

	// Lost means that the attempt was dropped before anybody served it, because
	// its twin is served: see call.Event. Its Result does not count.
	Lost bool

	orphan *orphan // the attempt's work goes on
}

// NoteOf returns a note of the faults that hurt an attempt, or nil if none did.
func NoteOf(faults string) *Note {
	if faults == "" {
		return nil
	}
	return &Note{Faults: faults}
}

// orphan returns the attempt's work that goes on, or nil.
func (t *Tried) orphan() *orphan {
	if t.Note == nil {
		return nil
	}
	return t.Note.orphan
}

// note returns the attempt's note, which is made if there is none.
func (t *Tried) note() *Note {
	if t.Note == nil {
		t.Note = new(Note)
	}
	return t.Note
}

// Try makes one attempt. The context carries the attempt's limit; the number
// of the first attempt is 0. It runs on the caller's own goroutine, unless the
// call may have copies: see Racer.
type Try func(ctx context.Context, attempt int) Tried

// then tells the attempt what becomes of it.
func (t *Tried) then(kept bool) {
	if t.Note != nil && t.Note.Then != nil {
		t.Note.Then(kept)
	}
}
