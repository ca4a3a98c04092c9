package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/seakeep/seakeep/core/idempotency"
)

func TestForeignAndDamagedFiles(t *testing.T) {
	for name, spoil := range map[string]func(*bbolt.Tx) error{
		"format \"idempotency 2\" and not": func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucket(metaBucket)
			return errors.Join(err, b.Put(formatKey, []byte("idempotency 2")))
		},
		"another program": func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("other"))
			return err
		},
		"damaged": func(tx *bbolt.Tx) error {
			return errors.Join(prepare(tx), tx.Bucket(recordBucket).Put([]byte("k"), []byte("rubbish")))
		},
	} {
		path := fileFor(t)
		db, err := bbolt.Open(path, 0o600, nil)
		if err == nil {
			err = errors.Join(db.Update(spoil), db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, idempotency.Config{}); err == nil || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no", "such"), idempotency.Config{}); err == nil {
		t.Error("a file in no directory is opened")
	}
	if _, err := Open(fileFor(t), idempotency.Config{TTL: -1}); err == nil || !strings.HasPrefix(err.Error(), "bolt: TTL") {
		t.Errorf("a wrong config: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(idempotency.Record{Claim: claim("k", "a", "r"), State: idempotency.Done, Until: -5, Answer: []byte("b")}))
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := decode("k", in)
		if err != nil {
			return
		}
		again, err := decode("k", encode(r))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
			t.Errorf("%+v comes back as %+v, %v", r, again, err)
		}
	})
}

// What is in files today is read tomorrow: this must never change.
func TestRecordEncoding(t *testing.T) {
	r := idempotency.Record{Claim: claim("k", "abc", "run"), State: idempotency.Done, Until: 258, Answer: []byte("201")}
	want := "\x02\x00\x00\x00\x00\x00\x00\x01\x02abc" + strings.Repeat("\x00", 29) + "\x0e\x03POST /orders krun201"
	if got := string(encode(r)); got != want {
		t.Errorf("%q", got)
	}
	if got, err := decode("k", []byte(want)); err != nil || fmt.Sprint(got) != fmt.Sprint(r) {
		t.Errorf("%+v %v", got, err)
	}
	early, late := untilKey(idempotency.Record{Until: -1}), untilKey(idempotency.Record{Until: 1})
	if bytes.Compare(early, late) >= 0 {
		t.Error("times before 1970 sort after those that follow")
	}
}

// A keyed write is a claim and an answer, each flushed to the disk.
func BenchmarkKeyedWrite(b *testing.B) {
	for _, clients := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprint("clients=", clients), func(b *testing.B) {
			s := open(b, fileFor(b), idempotency.Config{})
			var left atomic.Int64
			left.Store(int64(b.N))
			answer := bytes.Repeat([]byte("x"), 300)
			var wg sync.WaitGroup
			b.ResetTimer()
			for range clients {
				wg.Go(func() {
					for n := left.Add(-1); n >= 0; n = left.Add(-1) {
						c := claim(fmt.Sprintf("%064x", n*7919), "a", "r")
						_, _, err1 := s.Admit(now(), c)
						_, err2 := s.Report(now(), c, idempotency.Ending{State: idempotency.Done, Answer: answer})
						if err := errors.Join(err1, err2); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
		})
	}
}
