package dashboard

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

func TestAuditRotates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	w := newWorld(t, Options{Audit: file})
	w.audit.size = mostAudit
	w.audit.write(schema.Event{Kind: schema.KindLever, Lever: "a"})
	w.audit.write(schema.Event{Kind: schema.KindLever, Lever: "b"})
	old, _ := os.ReadFile(file + ".1")
	text, _ := os.ReadFile(file)
	if !strings.Contains(string(old), `"lever":"a"`) || !strings.Contains(string(text), `"lever":"b"`) {
		t.Errorf("%s\n%s", old, text)
	}
}

// A file that cannot be renamed is said to be one, and what comes is added to it.
func TestAuditThatCannotRotate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a, err := openAudit(file, slog.New(slog.DiscardHandler), newHub(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if err := os.MkdirAll(filepath.Join(file+".1", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	a.size = mostAudit
	a.write(schema.Event{Kind: schema.KindLever, Lever: "a"})
	a.write(schema.Event{Kind: schema.KindLever, Lever: "b"})
	if text, _ := os.ReadFile(file); strings.Count(string(text), "\n") != 2 {
		t.Errorf("%s", text)
	}
}

// What was ordered before a restart is shown after it.
func TestAuditOutlivesTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	w := newWorld(t, Options{Audit: file})
	for i := range 3 {
		w.audit.write(schema.Event{Kind: schema.KindLever, Lever: "breaker", Why: fmt.Sprint(i)})
	}
	w.audit.close()
	// The process ended while it wrote a line.
	torn, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = torn.WriteString("not an order\n" + `{"at_ms":1,"kind":"lever","lev`)
	torn.Close()

	next := newWorld(t, Options{Audit: file})
	next.audit.write(schema.Event{Kind: schema.KindLever, Lever: "admit", Why: "3"})
	var all []schema.Event
	next.getJSON("/api/v1/audit", &all)
	if len(all) != 4 {
		t.Fatalf("%d orders: %+v", len(all), all)
	}
	for i, e := range all {
		if e.Why != fmt.Sprint(i) || i > 0 && e.ID <= all[i-1].ID {
			t.Errorf("order %d: %+v", i, e)
		}
	}
	next.audit.close()
	if again, torn, err := tail(file); len(again) != 4 || torn || err != nil {
		t.Errorf("%d orders, torn %v, %v", len(again), torn, err)
	}
}

// However long the file is, its end alone is read, and before it what was renamed.
func TestAuditReadsItsTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	line := func(i int) string { return fmt.Sprintf(`{"at_ms":1,"kind":"lever","why":"%d"}`+"\n", i) }
	var b strings.Builder
	n := 0
	for ; b.Len() < 2*mostTail; n++ {
		b.WriteString(line(n))
	}
	for path, text := range map[string]string{file + ".1": b.String(), file: line(n)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := newWorld(t, Options{Audit: file}).audit.list()
	if len(all) != keptOrders || all[0].Why != fmt.Sprint(n+1-keptOrders) ||
		all[keptOrders-1].Why != fmt.Sprint(n) {
		t.Errorf("%d orders, %+v", len(all), all[len(all)-1])
	}
	if _, err := New(Options{Audit: t.TempDir()}); err == nil {
		t.Error("a folder is no audit log, and no error")
	}
}
