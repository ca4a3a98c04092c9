package proxy

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// barrage is requests at a steady rate, whether or not earlier ones have ended.
type barrage struct {
	client *http.Client
	wg     sync.WaitGroup
	stop   chan struct{}
	once   sync.Once

	mu   sync.Mutex
	all  []reply
	by   map[string]int // replies, by the replica's address
	lost []loss
}

// reply is one request with its answer.
type reply struct {
	began, ended time.Time
	by           string // the replica's address; empty: it was lost
}

// startBarrage begins to send. Each request is of the n-th shape.
func startBarrage(u *under, rate int, shape func(n int) *http.Request) *barrage {
	b := &barrage{stop: make(chan struct{}), by: map[string]int{}, client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: rate}, Timeout: 2 * patience}}
	b.wg.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-b.stop:
				return
			case <-tick.C:
				b.wg.Go(func() { b.one(shape(n)) })
			}
		}
	})
	u.t.Cleanup(b.end)
	return b
}

// end stops sending and waits for the answers that are still to come.
func (b *barrage) end() {
	b.once.Do(func() { close(b.stop) })
	b.wg.Wait()
	b.client.CloseIdleConnections()
}

func (b *barrage) one(r *http.Request) {
	began := time.Now()
	by, err := b.send(r)
	a := reply{began, time.Now(), by}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, a)
	b.by[by]++
	if err != nil {
		b.lost = append(b.lost, loss{began, a.ended, err.Error()})
	}
}

// send returns who has answered.
func (b *barrage) send(r *http.Request) (by string, err error) {
	want := r.Method + " " + r.URL.Path + " "
	if r.Body != nil {
		want += payload
	}
	resp, err := b.client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	by, right := strings.CutPrefix(string(text), want+" by ")
	if err != nil || resp.StatusCode != http.StatusOK || !right {
		return "", fmt.Errorf("%s gets %d %v %q, %v", r.URL.Path, resp.StatusCode, resp.Header, text, err)
	}
	return by, nil
}

// payload is the body of those requests that have one.
const payload = "payload"

// request returns a GET, or for every fourth n a PUT with a body.
func (u *under) request(n int, query string) *http.Request {
	method, body := http.MethodGet, io.Reader(nil)
	if n%4 == 3 {
		method, body = http.MethodPut, strings.NewReader(payload)
	}
	r, err := http.NewRequest(method, u.url("dep", fmt.Sprintf("/%d", n))+query, body)
	if err != nil {
		panic(err)
	}
	return r
}

// served is the least that any of these replicas has served.
func (b *barrage) served(all []*replica) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	least := b.by[all[0].address]
	for _, r := range all[1:] {
		least = min(least, b.by[r.address])
	}
	return least
}

// count is how many requests have ended.
func (b *barrage) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.all)
}

// quantile is of what requests took, after the end.
func (b *barrage) quantile(q float64) time.Duration {
	var took []time.Duration
	for _, a := range b.all {
		took = append(took, a.ended.Sub(a.began))
	}
	slices.Sort(took)
	return took[int(q*float64(len(took)-1))].Round(time.Millisecond)
}
