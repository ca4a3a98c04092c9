package dashboard

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

const (
	keptOrders = 500
	// mostAudit is how large the file gets. It is then renamed to end in .1, in
	// place of the one that was, and begun anew.
	mostAudit = 10 << 20
)

// audit writes down who tried to use which lever, when, why, and what became of
// it: in the log, among the events, in a ring, and in a file if there is one.
type audit struct {
	log *slog.Logger
	hub *hub

	mu     sync.Mutex
	orders ring[schema.Event]
	path   string
	file   *os.File // nil: there is none, or it could not be opened again
	closed bool
	size   int64
	second int64 // that had too many
}

func openAudit(path string, log *slog.Logger, h *hub) (*audit, error) {
	a := &audit{log: log, hub: h, orders: newRing[schema.Event](keptOrders), path: path}
	if err := a.open(); err != nil || path == "" {
		return a, err
	}
	torn, err := a.restore()
	if err == nil && torn { // what comes is a line of its own
		_, err = a.file.Write([]byte("\n"))
	}
	if err != nil {
		a.close()
		return a, fmt.Errorf("the audit log: %w", err)
	}
	return a, nil
}

func (a *audit) open() (err error) {
	if a.path == "" {
		return nil
	}
	if a.file, err = os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	info, err := a.file.Stat()
	if err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	a.size = info.Size()
	return nil
}

// write takes note of an attempt.
func (a *audit) write(e schema.Event) {
	e = a.hub.tell(e, true)
	order, _ := json.Marshal(e.Order)
	a.log.Warn("lever", "lever", e.Lever, "accepted", e.Accepted, "refused_for", e.Detail, "by", e.By,
		"why", e.Why, "order", string(order))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.orders.push(e)
	if err := a.append(e); err != nil {
		a.log.Error("the audit log cannot be written", "error", err)
	}
}

// append adds a line to the file. One that could not be renamed is opened again for
// the next. The caller holds the lock.
func (a *audit) append(e schema.Event) error {
	if a.closed {
		return nil
	}
	if a.file == nil {
		if err := a.open(); err != nil || a.file == nil {
			return err
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	n, err := a.file.Write(append(line, '\n'))
	if a.size += int64(n); err == nil && a.size > mostAudit {
		err = a.rotate()
	}
	return err
}

func (a *audit) rotate() error {
	_ = a.file.Close()
	a.file = nil
	if err := os.Rename(a.path, a.path+".1"); err != nil {
		return err
	}
	return a.open()
}

// tooMany takes note, once a second, that more attempts came than are written down.
func (a *audit) tooMany(now time.Time) {
	a.mu.Lock()
	first := a.second != now.Unix()
	a.second = now.Unix()
	a.mu.Unlock()
	if first {
		a.write(schema.Event{Kind: schema.KindLever, AtMS: unixMS(now), Detail: "too-many"})
	}
}

// list returns the latest, the oldest first.
func (a *audit) list() []schema.Event {
	all := []schema.Event{}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.orders.each(func(e schema.Event) { all = append(all, e) })
	return all
}

func (a *audit) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed = true; a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
}
