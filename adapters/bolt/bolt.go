package bolt

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// openWait is how long Open waits for the process that has the file. After a
// crash or a restart the old one is gone at once or in a moment.
const openWait = 2 * time.Second

// ErrClosed is the error of a store that was closed.
var ErrClosed = errors.New("bolt: the store is closed")

// Store is an idempotency.Store in a file. It is safe for concurrent use; make
// it with Open.
type Store struct {
	db    *bbolt.DB
	queue chan *change
	ended chan struct{} // closed when the writer has ended

	gate   sync.RWMutex // held to send to queue, and to close it
	closed bool

	mu     sync.Mutex
	latest core.Instant
	cfg    idempotency.Config // defaults filled in
	tally  tally              // as of the last commit
	reads  reads
}

var _ idempotency.Store = (*Store)(nil)

// reads counts what ended without a commit.
type reads struct{ replayed, refused uint64 }

// Open opens the file, or makes it in a directory that exists, and returns the
// store, or the errors of c.Validate. Claims that a dead process has left in it
// become Unknown, for as long as c says. The file is this process's own until
// Close; if another one has it, Open fails after two seconds.
func Open(path string, c idempotency.Config) (*Store, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("bolt: %w", err)
	}
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, queue: make(chan *change, batch), ended: make(chan struct{}),
		cfg: c.WithDefaults(), latest: math.MinInt64}
	if err := s.restore(); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("bolt: %s: %w", path, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("bolt: %s: %w", path, err)
	}
	go s.write()
	return s, nil
}

// openFile opens a database, which is this process's own from here on.
func openFile(path string) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: openWait, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("bolt: %s is open in another process; give each process a file of its own", path)
	}
	if err != nil {
		return nil, fmt.Errorf("bolt: %s: %w", path, err)
	}
	return db, nil
}

// syncDir makes a new file's name as durable as what is in it. Windows cannot,
// and need not, flush a directory.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// restore counts what is in the file, and makes claims of the dead Unknown.
func (s *Store) restore() error {
	s.clamp(core.Instant(time.Now().UnixNano()))
	return s.db.Update(func(tx *bbolt.Tx) error {
		p, err := pagesOf(tx, true)
		if err != nil {
			return err
		}
		var orphans []idempotency.Record
		err = p.each(func(r idempotency.Record) error {
			s.tally.add(r, 1)
			if r.State == idempotency.Running {
				orphans = append(orphans, r)
			}
			return nil
		})
		if err != nil {
			return err
		}
		w := &writing{pages: p, now: s.latest, cfg: s.cfg, tally: s.tally}
		for _, r := range orphans {
			if err := w.put(r, r.Orphaned(s.latest, s.cfg)); err != nil {
				return err
			}
		}
		s.tally = w.tally
		return nil
	})
}

// Close ends the store after the changes under way and frees the file. Claims
// that are Running become Unknown when it is opened again, so close it after
// the server has ended. It may be called again.
func (s *Store) Close() error {
	s.gate.Lock()
	again := s.closed
	s.closed = true
	if !again {
		close(s.queue)
	}
	s.gate.Unlock()
	<-s.ended
	return s.db.Close()
}

// Admit implements idempotency.Store. A claim is flushed to the disk when it
// returns.
func (s *Store) Admit(now core.Instant, c idempotency.Claim) (idempotency.Record, core.Reason, error) {
	now, cfg := s.clamp(now)
	found, reason, err := s.look(now, cfg, c)
	if err == nil && reason == core.NoReason {
		ch := &change{kind: admit, now: now, claim: c}
		err = s.do(ch)
		return ch.found, ch.reason, err
	}
	if err == nil {
		s.mu.Lock()
		if reason == core.KeyReplayed {
			s.reads.replayed++
		} else {
			s.reads.refused++
		}
		s.mu.Unlock()
	}
	return found, reason, err
}

// look answers what can be answered without a change. NoReason means that the
// writer has to look.
func (s *Store) look(now core.Instant, cfg idempotency.Config, c idempotency.Claim) (
	found idempotency.Record, reason core.Reason, err error) {
	if len(c.Key) == 0 || len(c.Key) > maxKey {
		return found, reason, fmt.Errorf("bolt: a key of %d bytes; it must have 1 to %d", len(c.Key), maxKey)
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		p, err := pagesOf(tx, false)
		if err != nil {
			return err
		}
		old, err := p.get(c.Key)
		if err == nil {
			found, reason = old.Admit(now, cfg, c)
		}
		if reason == core.NoReason {
			found = idempotency.Record{}
		}
		return err
	})
	return found, reason, closedError(err)
}

// Report implements idempotency.Store. The end is flushed to the disk when it
// returns.
func (s *Store) Report(now core.Instant, c idempotency.Claim, e idempotency.Ending) (bool, error) {
	if e.State == idempotency.Running || e.State > idempotency.Unknown {
		panic("bolt: Report of a run that has not ended")
	}
	now, _ = s.clamp(now)
	ch := &change{kind: report, now: now, claim: c, end: e}
	err := s.do(ch)
	return ch.kept, err
}

// Sweep removes records whose time is over. Admit does that too, a few at a
// time, so it is needed only to give room back when no writes come. The file
// does not get smaller; the room is used again.
func (s *Store) Sweep(now core.Instant) error {
	now, _ = s.clamp(now)
	for {
		ch := &change{kind: sweep, now: now}
		if err := s.do(ch); err != nil || ch.swept < sweepBatch {
			return err
		}
	}
}

// Reconfigure changes the settings, or returns the errors of c.Validate and
// changes nothing. Records keep the time that they were promised. A smaller
// bound removes nothing; new keys are refused until there is room.
func (s *Store) Reconfigure(c idempotency.Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("bolt: %w", err)
	}
	s.mu.Lock()
	s.cfg = c.WithDefaults()
	s.mu.Unlock()
	return nil
}

// Unsettled returns up to most records that are Unknown at now, in no
// particular order, for an operator to find out about. Report with the record's
// Claim settles one. It may read the whole file.
func (s *Store) Unsettled(now core.Instant, most int) (found []idempotency.Record, err error) {
	now, cfg := s.clamp(now)
	err = s.db.View(func(tx *bbolt.Tx) error {
		p, err := pagesOf(tx, false)
		if err != nil {
			return err
		}
		err = p.each(func(r idempotency.Record) error {
			if len(found) >= most {
				return errEnough
			}
			if r = r.At(now, cfg); r.State == idempotency.Unknown {
				found = append(found, r)
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
	return found, closedError(err)
}

var errEnough = errors.New("enough")

// Snapshot returns the state as of the last change. Records whose time is over
// are in it until a change or Sweep removes them.
func (s *Store) Snapshot() idempotency.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tally
	return idempotency.Snapshot{
		Entries: t.entries, Running: t.states[idempotency.Running], Unknown: t.states[idempotency.Unknown],
		Bytes: t.bytes, Began: t.began, Replayed: t.replayed + s.reads.replayed,
		Refused: t.refused + s.reads.refused, Full: t.full, NotStored: t.unkept, Failed: t.failed,
	}
}

// clamp keeps the latest now, so that a key's time never goes back, and returns
// it with the settings in force.
func (s *Store) clamp(now core.Instant) (core.Instant, idempotency.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now > s.latest {
		s.latest = now
	}
	return s.latest, s.cfg
}

func closedError(err error) error {
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	if err != nil {
		return fmt.Errorf("bolt: %w", err)
	}
	return nil
}
