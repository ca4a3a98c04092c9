package dashboard

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

func someFrame(i, names int) *frame {
	at := time.UnixMilli(time.Now().UnixMilli()).Add(time.Duration(i) * time.Second)
	f := &frame{from: at.Add(-time.Second), to: at, of: map[string]*sample{}}
	for n := range names {
		s := &sample{took: []bin{{3, 7}, {400, uint64(i + 1)}, {1056, 1}}, left: []bin{{900, 5}}}
		s.n[fSuccess], s.n[gBreaker], s.n[fields-1] = uint64(i), 3, 1000
		name := fmt.Sprint("dependency-", n)
		f.names, f.of[name] = append(f.names, name), s
	}
	return f
}

func TestFramesComeBack(t *testing.T) {
	f := someFrame(7, 3)
	text := f.encode()
	got, err := decodeFrame(text)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Fatalf("%v\n%+v\n%+v", err, got, f)
	}
	for i := range text { // cut off anywhere it is an error and never a panic
		if _, err := decodeFrame(text[:i]); err == nil {
			t.Errorf("%d bytes are a frame", i)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(someFrame(1, 2).encode())
	f.Fuzz(func(t *testing.T, text []byte) {
		if v, err := decodeFrame(text); err == nil {
			for _, s := range v.of {
				quantiles(s.took).Quantile(0.99)
			}
		}
	})
}

// Ten frames are one long one, of which counts are the sum and states the worst or
// the last.
func TestLongFrames(t *testing.T) {
	r := newRings(time.Hour)
	var long *kept
	for i := range coarse {
		f := someFrame(i, 1)
		if i > 4 {
			f.of["dependency-0"].n[gBreaker] = 1
		}
		if long = r.add(f); (long != nil) != (i == coarse-1) {
			t.Fatalf("after %d", i)
		}
	}
	f, err := decodeFrame(long.text)
	if err != nil {
		t.Fatal(err)
	}
	s := f.of["dependency-0"]
	if s.n[fSuccess] != 45 || s.n[gBreaker] != 3 || quantiles(s.took).Count != 10*8+55 {
		t.Errorf("%+v", s)
	}
}

func TestFramesAreBounded(t *testing.T) {
	r := frames{keep: time.Hour, mostBytes: 10_000}
	for i := range 1000 {
		f := someFrame(i, 5)
		r.push(kept{f.from, f.to, f.encode()})
		if r.bytes > 10_000 {
			t.Fatalf("%d bytes", r.bytes)
		}
	}
	r = frames{keep: time.Minute, mostBytes: mostBytes}
	for i := range 1000 {
		f := someFrame(i, 1)
		r.push(kept{f.from, f.to, f.encode()})
	}
	if n := len(r.all); n < 59 || n > 61 {
		t.Errorf("%d frames of a minute", n)
	}
}

// What was is there after a restart: figures, changes, and numbers that go on.
func TestHistorySurvives(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	w := newWorld(t, Options{History: file})
	p, now := w.program.Load(), time.Now().Truncate(time.Second)
	w.frame(p, now.Add(-coarse*time.Second))
	for i := range coarse {
		w.call("pricing", nil)
		if i == 3 {
			w.change(1)
		}
		w.frame(p, now.Add(time.Duration(i+1-coarse)*time.Second))
	}
	id := w.hub.next
	if _, err := New(Options{History: file}); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("two have the file: %v", err)
	}
	w.Close()

	again := newWorld(t, Options{History: file})
	if again.hub.next < id {
		t.Errorf("numbers go back: %d after %d", again.hub.next, id)
	}
	var h schema.History
	again.getJSON("/api/v1/history?from=-30s&step=10s&dependency=pricing", &h)
	calls := 0.0
	for _, v := range h.Dependencies[0].Columns["rate"] {
		if v != nil {
			calls += *v * coarse
		}
	}
	if calls != coarse || len(h.Events) != 1 || h.Events[0].Kind != "failover-changed" {
		t.Errorf("%v calls, %+v", calls, h.Events)
	}
}

func TestStoreIsBounded(t *testing.T) {
	s, err := openStore(filepath.Join(t.TempDir(), "history.db"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.most = 20_000
	h := newHub(time.Now())
	for i := range 200 {
		f := someFrame(10*(i-200), 20)
		if err := s.save(&kept{f.from, f.to, f.encode()}, h); err != nil {
			t.Fatal(err)
		}
	}
	var r frames
	r.keep, r.mostBytes = time.Hour, mostBytes
	s.bytes = 0
	if err := s.load(&r, h); err != nil {
		t.Fatal(err)
	}
	if s.bytes > 20_000+1500 || len(r.all) == 0 {
		t.Errorf("%d bytes in the file, %d frames", s.bytes, len(r.all))
	}
}

// What could not be saved is saved with what comes next.
func TestStoreSavesAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	s, err := openStore(file, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	h := newHub(time.Now())
	h.saves = true
	f := someFrame(-20, 1)
	h.tell(schema.Event{Kind: "failover-changed", AtMS: unixMS(f.to)}, true)
	s.close()
	if err := s.save(&kept{f.from, f.to, f.encode()}, h); err == nil || s.bytes != 0 {
		t.Errorf("%v, %d bytes in a file that is closed", err, s.bytes)
	}
	if s, err = openStore(file, time.Hour); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.save(&kept{f.from, f.to, f.encode()}, h); err != nil {
		t.Fatal(err)
	}
	again := newHub(time.Now())
	if err := s.load(&frames{keep: time.Hour, mostBytes: mostBytes}, again); err != nil ||
		len(again.changes.all) != 1 {
		t.Errorf("%v, %d changes", err, len(again.changes.all))
	}
}

func TestStoreRefusesOthersFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(file, []byte(strings.Repeat("no history\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{History: file}); err == nil {
		t.Error("it takes anything for a file of history")
	}
	if _, err := New(Options{Audit: filepath.Join(file, "no")}); err == nil {
		t.Error("an audit log that cannot be")
	}
}
