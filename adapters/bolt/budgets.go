package bolt

import (
	"fmt"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// budgetFormat is the version of a file of budgets.
const budgetFormat = "budgets 1"

var stateBucket = []byte("states") // name of the objective: state

// Budgets keeps the states of objectives in a file, for the next process. It is
// safe for concurrent use; make it with OpenBudgets.
type Budgets struct{ db *bbolt.DB }

// OpenBudgets opens the file, or makes it in a directory that exists. The file is
// this process's own until Close; if another one has it, OpenBudgets fails after
// two seconds.
func OpenBudgets(path string) (*Budgets, error) {
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error { return begin(tx, budgetFormat, stateBucket) })
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("bolt: %s: %w", path, err)
	}
	return &Budgets{db}, nil
}

// Load returns what was saved last.
func (b *Budgets) Load() (map[string][]byte, error) {
	states := map[string][]byte{}
	err := b.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(stateBucket).ForEach(func(name, state []byte) error {
			states[string(name)] = append([]byte(nil), state...)
			return nil
		})
	})
	return states, closedError(err)
}

// Save replaces what is kept. When it returns, it is on the disk, whole.
func (b *Budgets) Save(states map[string][]byte) error {
	err := b.db.Update(func(tx *bbolt.Tx) error {
		if err := tx.DeleteBucket(stateBucket); err != nil {
			return err
		}
		kept, err := tx.CreateBucket(stateBucket)
		if err != nil {
			return err
		}
		for name, state := range states {
			if err := kept.Put([]byte(name), state); err != nil {
				return err
			}
		}
		return nil
	})
	return closedError(err)
}

// Close frees the file.
func (b *Budgets) Close() error { return b.db.Close() }
