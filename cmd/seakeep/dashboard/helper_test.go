package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testToken = "a-token-of-enough-letters"

const testPolicy = `version: 1
service: shop
serve:
  concurrency: {max: 40}
  degrade: [prefetch, extras]
dependencies:
  pricing:
    kind: critical
    timeout: {request: 100ms}
    breaker: {window: 10s, calls: 4, failures: 50%, open: {for: 30s}}
    bulkhead: {limit: 10}
    fallback: [{static: {status: 200, body: 'none'}}]
    faults: {allow: true}
    operations:
      - {name: list, match: {path: /list}, bulkhead: {limit: 3}}
  stock:
    kind: optional
    timeout: {request: 1s}
`

// world is a program with a dashboard, over real HTTP.
type world struct {
	*Dashboard
	t       *testing.T
	set     *seakeep.Set
	metrics *telemetry.Metrics
	server  *httptest.Server
	client  *http.Client
	log     *safeBuffer
	end     context.CancelFunc
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newWorld(t *testing.T, o Options) *world {
	t.Helper()
	w := &world{t: t, log: &safeBuffer{}}
	o.Log = slog.New(slog.NewTextHandler(w.log, nil))
	var err error
	if w.Dashboard, err = New(o); err != nil {
		t.Fatal(err)
	}
	file, err := config.Parse("shop.yaml", []byte(testPolicy))
	if err != nil {
		t.Fatal(err)
	}
	w.metrics = telemetry.New(telemetry.Options{})
	w.set, err = seakeep.NewSet(file, seakeep.Options{Observer: telemetry.Tee(w.metrics, w.Dashboard)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	w.server = httptest.NewUnstartedServer(w.Handler(Program{Set: w.set, Metrics: w.metrics, Ends: ctx,
		Demo: map[string]func([]byte) error{"slow": func(order []byte) error {
			if !strings.Contains(string(order), "pricing") {
				return errors.New("give pricing")
			}
			return nil
		}}}))
	// An admin address has limits like these, which no stream must run into.
	w.server.Config.ReadTimeout, w.server.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	w.server.Start()
	w.client = w.server.Client()
	t.Cleanup(func() {
		cancel()
		w.server.Close()
		w.Close()
	})
	return w
}

var errBroken = errors.New("broken")

func (w *world) call(name string, err error) {
	_, _ = seakeep.Do(w.t.Context(), w.set.MustPolicy(name), func(context.Context) (int, error) { return 1, err })
}

func (w *world) tick() { w.frame(w.program.Load(), time.Now()) }

// fetch returns an answer with its body.
func (w *world) fetch(path string) (*http.Response, string) {
	w.t.Helper()
	return w.do(http.MethodGet, path, "", nil)
}

func (w *world) do(method, path, body string, header map[string]string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	if host := header["Host"]; host != "" {
		req.Host = host
	}
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, string(text)
}

func (w *world) getJSON(path string, into any) {
	w.t.Helper()
	resp, body := w.fetch(path)
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %d %s", path, resp.StatusCode, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		w.t.Fatalf("%s: %v: %s", path, err, body)
	}
}

func (w *world) now() *schema.Snapshot {
	w.cached.forget()
	var s schema.Snapshot
	w.getJSON("/api/v1/snapshot", &s)
	return &s
}
