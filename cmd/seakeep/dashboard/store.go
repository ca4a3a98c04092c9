package dashboard

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

// store keeps history in a file. It has the same bounds as memory, so the file
// grows to little more than twice of mostBytes, and its pages are used again.
type store struct {
	db   *bbolt.DB
	keep time.Duration
	most int // bytes of frames

	bytes int
}

const storeFormat = "seakeep history 1"

var (
	bucketMeta   = []byte("meta")
	bucketFrames = []byte("frames") // end in milliseconds: frame
	bucketEvents = []byte("events") // number: JSON
	keyFormat    = []byte("format")
)

func openStore(path string, keep time.Duration) (*store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 2 * time.Second})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("history: %s is open in another program; give each its own", path)
	}
	if err != nil {
		return nil, fmt.Errorf("history: %s: %w", path, err)
	}
	s := &store{db: db, keep: keep, most: mostBytes}
	if err := db.Update(s.begin); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("history: %s: %w", path, err)
	}
	return s, nil
}

func (s *store) begin(tx *bbolt.Tx) error {
	if meta := tx.Bucket(bucketMeta); meta != nil {
		if got := string(meta.Get(keyFormat)); got != storeFormat {
			return fmt.Errorf("is %q and not %q; give another file", schema.Text(got), storeFormat)
		}
		return nil
	}
	if name, _ := tx.Cursor().First(); name != nil {
		return errors.New("is a file of something else; give another")
	}
	for _, name := range [][]byte{bucketMeta, bucketFrames, bucketEvents} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(bucketMeta).Put(keyFormat, []byte(storeFormat))
}

func keyOf(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// load reads what is not too old. What is not readable is left out.
func (s *store) load(into *frames, h *hub) error {
	oldest := time.Now().Add(-s.keep)
	return s.db.View(func(tx *bbolt.Tx) error {
		err := tx.Bucket(bucketFrames).ForEach(func(_, text []byte) error {
			s.bytes += len(text)
			f, err := decodeFrame(text)
			if err != nil || f.to.Before(oldest) || f.to.After(time.Now().Add(time.Minute)) {
				return nil
			}
			into.push(kept{f.from, f.to, append([]byte(nil), text...)})
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Bucket(bucketEvents).ForEach(func(_, text []byte) error {
			var e schema.Event
			if json.Unmarshal(text, &e) == nil && e.AtMS >= unixMS(oldest) {
				h.restore(e)
			}
			return nil
		})
	})
}

// save adds a frame and the changes since the last one, and drops what is too
// old or too much. When it returns, it is on the disk, whole.
func (s *store) save(k *kept, h *hub) error {
	changes, before := h.toSave(), s.bytes
	err := s.db.Update(func(tx *bbolt.Tx) error {
		frames, events := tx.Bucket(bucketFrames), tx.Bucket(bucketEvents)
		if err := frames.Put(keyOf(uint64(k.to.UnixMilli())), k.text); err != nil {
			return err
		}
		s.bytes += len(k.text)
		for _, t := range changes {
			if err := events.Put(keyOf(t.ID), t.text); err != nil {
				return err
			}
		}
		if err := s.dropFrames(frames, k.to); err != nil {
			return err
		}
		return dropEvents(events, k.to.Add(-s.keep))
	})
	if err != nil { // nothing of it is in the file
		s.bytes = before
		h.notSaved(changes)
	}
	return err
}

func (s *store) dropFrames(b *bbolt.Bucket, now time.Time) error {
	oldest := uint64(now.Add(-s.keep).UnixMilli())
	c := b.Cursor()
	for key, text := c.First(); key != nil; key, text = c.Next() {
		if len(key) == 8 && binary.BigEndian.Uint64(key) >= oldest && s.bytes <= s.most {
			return nil
		}
		s.bytes -= len(text)
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// dropEvents drops those that are too old, and of the others the oldest beyond
// what memory keeps.
func dropEvents(b *bbolt.Bucket, oldest time.Time) error {
	most := b.Stats().KeyN - keptChanges
	c := b.Cursor()
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		if len(key) == 8 && binary.BigEndian.Uint64(key) >= uint64(oldest.UnixMicro()) && most <= 0 {
			return nil
		}
		most--
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() error { return s.db.Close() }
