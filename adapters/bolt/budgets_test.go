package bolt

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/core/idempotency"
)

func TestBudgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "budgets.db")
	b, err := OpenBudgets(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, states := range []map[string][]byte{{"a": []byte("1"), "b": []byte("2")}, {"a": []byte("3")}} {
		if err := b.Save(states); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Save(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if b, err = OpenBudgets(path); err != nil {
		t.Fatal(err)
	}
	states, err := b.Load()
	if err != nil || len(states) != 1 || string(states["a"]) != "3" {
		t.Errorf("%q %v", states, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	// Neither takes the other's file.
	if s, err := Open(path, idempotency.Config{}); err == nil || !strings.Contains(err.Error(), "budgets 1") {
		t.Errorf("%v %v", s, err)
	}
	keys := filepath.Join(t.TempDir(), "keys.db")
	_ = open(t, keys, idempotency.Config{}).Close()
	if b, err := OpenBudgets(keys); err == nil || !strings.Contains(err.Error(), "idempotency 1") {
		t.Errorf("%v %v", b, err)
	}
}
