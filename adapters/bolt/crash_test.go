package bolt

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var kills = flag.Int("kills", 200, "how often the crash test kills its server")

// A server is killed with SIGKILL at random moments, while it opens its store
// too, and started again, while clients send keyed writes and repeat those that
// got no answer. However the kills fall:
//
//   - no write is in the application's books twice,
//   - a write that was answered is in them, and its repetitions get that answer,
//   - a key ends answered or unknown, and every unknown one is settled when the
//     application can be asked.
func TestKillsAtRandomMoments(t *testing.T) {
	const campaigns = 4 // side by side, since most of a campaign is waiting
	var total windows
	var mu sync.Mutex
	t.Run("campaigns", func(t *testing.T) {
		for i := range campaigns {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				c := newCampaign(t, uint64(i))
				for range (*kills + i) / campaigns {
					c.life(true, false)
				}
				c.settle()
				mu.Lock()
				total.add(c.found)
				mu.Unlock()
			})
		}
	})
	t.Logf("%d kills: %+v", *kills, total)
	if *kills >= 500 && (total.BeforeTheClaim == 0 || total.ClaimedOnly == 0 || total.RanOnly == 0 || total.StoredOnly == 0) {
		t.Errorf("some stretch of the way was never hit: %+v", total)
	}
}

// windows counts writes without an answer by how far they had come when their
// server was killed.
type windows struct {
	Writes, Answered                                 int
	BeforeTheClaim, ClaimedOnly, RanOnly, StoredOnly int
	KilledOpening                                    int
}

func (w *windows) add(o windows) {
	w.Writes += o.Writes
	w.Answered += o.Answered
	w.BeforeTheClaim += o.BeforeTheClaim
	w.ClaimedOnly += o.ClaimedOnly
	w.RanOnly += o.RanOnly
	w.StoredOnly += o.StoredOnly
	w.KilledOpening += o.KilledOpening
}

// campaign is one file through many lives of its server.
type campaign struct {
	t    *testing.T
	dir  string
	http *http.Client

	mu      sync.Mutex
	rand    *rand.Rand
	keys    []*fate
	pending []*fate // sent, and no answer
	found   windows
}

// fate is what a client knows of a key.
type fate struct {
	key     string
	answer  string // of the first 201
	unknown bool   // it was said to be
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	return &campaign{t: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, uint64(time.Now().UnixNano()))),
		http: &http.Client{Timeout: 20 * time.Second}}
}

// life starts the server and sends writes until it is killed, or only repeats
// what is open.
func (c *campaign) life(kill, resolve bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+c.dir)
	if resolve {
		cmd.Env = append(cmd.Env, childResolve+"=1")
	}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err1 != nil || err2 != nil || err != nil {
		c.t.Fatal(err1, err2, err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = in.Close()
		c.http.CloseIdleConnections()
	}()
	if kill && c.draw(8) == 0 {
		timer := time.AfterFunc(time.Duration(c.draw(15000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && kill {
		c.found.KilledOpening++
		return
	}
	url := strings.TrimSpace(line)
	if !strings.HasPrefix(url, "http://") {
		c.t.Fatalf("the server says %q, %v", line, err)
	}
	ctx, stop := context.WithCancel(c.t.Context())
	defer stop()
	if kill {
		timer := time.AfterFunc(time.Duration(c.draw(30000))*time.Microsecond, func() {
			_ = cmd.Process.Kill()
			stop()
		})
		defer timer.Stop()
	}
	c.clients(ctx, url, kill)
}

func (c *campaign) draw(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rand.IntN(n)
}

// clients send until the context ends, or until nothing is left to repeat.
func (c *campaign) clients(ctx context.Context, url string, news bool) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				f, asked := c.next(news)
				if f == nil {
					return
				}
				c.send(ctx, url, f, asked)
			}
		})
	}
	wg.Wait()
}

// next returns a key to send: one without an answer, now and then one that has
// been sent before and may be on its way just now, or a new one.
func (c *campaign) next(news bool) (f *fate, pending bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.pending); n > 0 {
		f = c.pending[n-1]
		c.pending = c.pending[:n-1]
		return f, true
	}
	if !news {
		return nil, false
	}
	if n := len(c.keys); n > 0 && c.rand.IntN(4) == 0 {
		return c.keys[n-1-c.rand.IntN(min(n, 20))], false
	}
	f = &fate{key: fmt.Sprint("order-", len(c.keys))}
	c.keys = append(c.keys, f)
	c.found.Writes++
	return f, false
}

func (c *campaign) send(ctx context.Context, url string, f *fate, pending bool) {
	r, _ := http.NewRequest("POST", url, strings.NewReader(f.key)) // the address was checked
	r.Header.Set("Idempotency-Key", f.key)
	var body []byte
	resp, err := c.http.Do(r)
	if err == nil {
		body, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if err != nil && ctx.Err() == nil {
		time.Sleep(time.Millisecond) // the kill is a moment ahead of its word
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.pending = append(c.pending, f)
		return
	}
	c.judge(f, resp, string(body), pending)
}

// judge compares an answer with what the client knows.
func (c *campaign) judge(f *fate, resp *http.Response, body string, pending bool) {
	replayed := resp.Header.Get("Idempotency-Replayed") == "true"
	var p struct{ Reason string }
	_ = json.Unmarshal([]byte(body), &p)
	switch {
	case resp.StatusCode == 201 && f.answer != "":
		if body != f.answer { // each run has a receipt of its own
			c.t.Errorf("%s was answered with %q and now with %q", f.key, f.answer, body)
		}
	case resp.StatusCode == 201:
		if f.unknown && !replayed {
			c.t.Errorf("%s was unknown, and ran", f.key)
		}
		if pending && replayed {
			c.found.StoredOnly++
		} else if pending {
			c.found.BeforeTheClaim++
		}
		f.answer = body
		c.found.Answered++
	case p.Reason == "key-unknown":
		if f.answer != "" {
			c.t.Errorf("%s was answered with %q and is unknown now", f.key, f.answer)
		}
		f.unknown = true
	case p.Reason == "key-busy":
		if pending { // by another client: ask again
			c.pending = append(c.pending, f)
		}
	default:
		c.t.Errorf("%s gets %d %s", f.key, resp.StatusCode, body)
	}
}

// settle repeats every key, first as any client would and then with an
// application that can be asked, and compares the books.
func (c *campaign) settle() {
	c.pending = append([]*fate(nil), c.keys...)
	c.life(false, false)
	books := c.books()
	for _, f := range c.keys {
		switch runs := books[f.key]; {
		case len(runs) > 1:
			c.t.Errorf("%s ran %d times", f.key, len(runs))
		case (f.answer != "") == f.unknown:
			c.t.Errorf("%s ends answered %q and unknown %v", f.key, f.answer, f.unknown)
		case f.answer != "" && (len(runs) != 1 || receipt(f.key, runs[0]) != f.answer):
			c.t.Errorf("%s was answered with %q, the books have %q", f.key, f.answer, runs)
		case f.unknown && len(runs) == 0:
			c.found.ClaimedOnly++
		case f.unknown:
			c.found.RanOnly++
		}
	}
	for _, f := range c.keys {
		if f.unknown {
			f.unknown = false
			c.pending = append(c.pending, f)
		}
	}
	found := c.found
	c.life(false, true)
	c.found = found // what it settles was counted above
	books = c.books()
	for _, f := range c.keys {
		if runs := books[f.key]; f.answer == "" || len(runs) != 1 || receipt(f.key, runs[0]) != f.answer {
			c.t.Errorf("%s is settled with %q, the books have %q", f.key, f.answer, runs)
		}
	}
}

// books returns the runs that each key had.
func (c *campaign) books() map[string][]string {
	text, err := os.ReadFile(filepath.Join(c.dir, "books"))
	if err != nil {
		c.t.Fatal(err)
	}
	runs := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		key, run, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || !strings.HasSuffix(line, "\n") {
			c.t.Errorf("the books have a line %q", line)
		}
		runs[key] = append(runs[key], run)
	}
	return runs
}
