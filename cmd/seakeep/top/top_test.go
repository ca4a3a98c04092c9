package top

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const snapshot = `{"version":1,"service":"shop","ready":true,"window_ms":10000,"dependencies":[` +
	`{"name":"stock","rate":40,"success":1,"answered":1,"latency":{"p50_ms":5,"p99_ms":20,"p999_ms":30}},` +
	`{"name":"pricing","rate":9,"success":0.25,"answered":1,"badness":1.75,"fallback_share":0.75,` +
	`"latency":{"p50_ms":250,"p99_ms":2500,"p999_ms":12000},"breaker":{"state":"open","mode":"auto"},` +
	`"bulkhead":{"in_use":9,"limit":10,"queued":2}},{"name":"idle"}]}`

// dashboard answers as one does. Its stream ends after each connection's snapshot
// and event.
func dashboard(t *testing.T) (base string, connections *atomic.Int32, last *atomic.Value) {
	connections, last = &atomic.Int32{}, &atomic.Value{}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/snapshot", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, snapshot) })
	mux.HandleFunc("/api/v1/events", func(w http.ResponseWriter, r *http.Request) {
		last.Store(r.Header.Get("Last-Event-ID"))
		fmt.Fprintf(w, "retry: 2000\n\nevent: snapshot\ndata: %s\n\n", snapshot)
		fmt.Fprintf(w, "id: %d\nevent: decision\ndata: {\"kind\":\"breaker-changed\",\"policy\":\"pricing\","+
			"\"from\":\"closed\",\"to\":\"open\",\"key\":\"\\u001b[2J\"}\n\n", 41+connections.Add(1))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, connections, last
}

func TestPrint(t *testing.T) {
	base, _, _ := dashboard(t)
	var out bytes.Buffer
	if err := Print(t.Context(), base, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "   dependency  calls/s  success") ||
		!strings.Contains(got, "\n!  pricing") || !strings.Contains(got, "9 / 10 + 2") || strings.Contains(got, "\x1b") {
		t.Errorf("%s", got)
	}
	if err := Print(t.Context(), base+"/none", &out); err == nil || !strings.Contains(err.Error(), "admin address") {
		t.Errorf("%v", err)
	}
}

// The stream is taken up again where it was, and the screen says that it was lost.
func TestFollowsAgain(t *testing.T) {
	base, connections, last := dashboard(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all []news
	follow(ctx, base, func(n news) {
		if all = append(all, n); n.lost != nil && connections.Load() == 2 {
			cancel()
		}
	})
	if last.Load() != "42" || len(all) != 6 || all[0].snapshot == nil || all[1].event == nil || all[2].lost == nil {
		t.Errorf("%v, %+v", last.Load(), all)
	}
}

func TestScreen(t *testing.T) {
	s := &screen{base: "http://a"}
	now := time.Now()
	see := func() string { return strings.Join(s.lines(200, 30, now), "\n") }
	if got := see(); !strings.Contains(got, "connecting") {
		t.Error(got)
	}
	for _, data := range [][2]string{{"snapshot", snapshot}, {"decision", `{"kind":"breaker-changed","policy":"pricing",` +
		`"key":"\u001b[2Jx","from":"closed","to":"open"}`}} {
		if err := said(data[0], data[1], func(n news) { s.hear(n, now) }); err != nil {
			t.Fatal(err)
		}
	}
	got := see()
	if strings.Contains(got, "\x1b") || !strings.Contains(got, "closed to open") {
		t.Errorf("%q", got)
	}
	first := func() string {
		for _, line := range s.wall()[1:] {
			return strings.Fields(strings.TrimPrefix(line, "!"))[0]
		}
		return ""
	}
	for _, want := range []string{"pricing", "stock", "pricing", "pricing", "idle", "pricing"} {
		if got := first(); got != want {
			t.Errorf("by %v the first is %s, want %s", s.order, got, want)
		}
		s.press('s')
	}
	s.order = byWorst
	for _, key := range "/sTo" {
		s.press(key)
	}
	if first() != "stock" || len(s.wall()) != 2 {
		t.Errorf("%v", s.wall())
	}
	s.press(127)
	s.press('\r')
	if s.filter != "sT" || s.typing || !s.press(27) || s.filter != "" {
		t.Errorf("the filter is %q", s.filter)
	}
	s.hear(news{lost: errors.New("broken")}, now)
	if got := strings.Join(s.lines(200, 30, now.Add(3*time.Second)), "\n"); !strings.Contains(got,
		"NO CONNECTION for 3s, trying again: broken") || !strings.Contains(got, "pricing") {
		t.Error(got)
	}
	for _, line := range s.lines(40, 8, now) {
		if len([]rune(line)) > 40 {
			t.Errorf("too wide: %q", line)
		}
	}
	if n := len(s.lines(40, 8, now)); n > 8 {
		t.Errorf("%d lines of 8", n)
	}
	if s.press('q') || s.press(3) {
		t.Error("it goes on")
	}
}

func TestManyFit(t *testing.T) {
	s := &screen{snapshot: &schema.Snapshot{}}
	for i := range 200 {
		s.snapshot.Dependencies = append(s.snapshot.Dependencies, schema.Dependency{Name: fmt.Sprint("d", i)})
	}
	all := s.lines(100, 24, time.Now())
	if len(all) > 24 || !strings.Contains(strings.Join(all, "\n"), "and 18") {
		t.Errorf("%d lines\n%s", len(all), strings.Join(all, "\n"))
	}
}

// A key ends it, and the terminal is as it was.
func TestRunQuits(t *testing.T) {
	base, _, _ := dashboard(t)
	var out bytes.Buffer
	err := Run(t.Context(), base, Terminal{Out: &out, Keys: strings.NewReader("sq"),
		Size: func() (int, int) { return 120, 40 }})
	if err != nil || !strings.HasSuffix(out.String(), showCursor+firstPage) {
		t.Errorf("%v, %q", err, out.String())
	}
}
