package proxy

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	tiedTime    = flag.Duration("tied", 5*time.Second, "how long the load test of tied requests runs")
	tiedClients = flag.Int("tied-clients", 16, "how many client proxies it has, none of which knows what the others send")
)

const (
	tiedWorkers = 2                     // of each program
	tiedMean    = 40 * time.Millisecond // that a request is worked on
	tiedLoad    = 0.8                   // of all workers
)

// work is a program with few workers, whose requests take as long as they say.
type work struct {
	runs    []atomic.Int32 // of each request
	workers chan struct{}
}

func (k *work) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	took, _ := time.ParseDuration(r.URL.Query().Get("t"))
	k.workers <- struct{}{}
	defer func() { <-k.workers }()
	k.runs[n].Add(1)
	select {
	case <-time.After(took):
		_, _ = io.WriteString(w, "done")
	case <-r.Context().Done():
	}
}

// tiedSide is two server proxies, each in front of a program, and a client
// proxies that share requests among them.
type tiedSide struct {
	name    string
	servers [2]*under
	work    [2]*work
	clients []*under
	took    []time.Duration
	failed  atomic.Int32
}

func newTiedSide(t *testing.T, name, hedge string, requests int) *tiedSide {
	s := &tiedSide{name: name, took: make([]time.Duration, requests)}
	endpoints := ""
	for i := range s.servers {
		s.work[i] = &work{make([]atomic.Int32, requests), make(chan struct{}, tiedWorkers)}
		s.servers[i] = start(t, door(program(t, s.work[i].ServeHTTP), fmt.Sprintf(
			"concurrency: {algorithm: fixed, limit: %d}\n"+
				"queue: {length: 10000, discipline: fifo, wait: 1m}\ntied: {trust: [127.0.0.1]}", tiedWorkers)))
		endpoints += ", http://" + s.servers[i].Addr(serveName).String()
	}
	for range *tiedClients {
		s.clients = append(s.clients, start(t, policy(endpoints[2:], hedge)))
	}
	return s
}

// ask sends one request, and notes how long its answer took.
func (s *tiedSide) ask(client *http.Client, n int, service time.Duration) {
	began := time.Now()
	resp, err := client.Get(s.clients[n%len(s.clients)].url("dep", fmt.Sprintf("/?n=%d&t=%v", n, service)))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	s.took[n] = time.Since(began)
	if err != nil || resp.StatusCode != 200 {
		s.failed.Add(1)
	}
}

// tiedReport is what one side came to.
type tiedReport struct {
	p50, p99, p999 time.Duration
	extra          float64 // work beyond what was asked for, as a share of it
	called         float64 // twins called off before they were served, as a share of copies
	counts         tiedView
	sent           uint64
}

func (s *tiedSide) report(t *testing.T) (r tiedReport) {
	r.p50, r.p99, r.p999 = quantiles(s.took)
	runs := int32(0)
	for n := range s.took {
		here := s.work[0].runs[n].Load() + s.work[1].runs[n].Load()
		if runs += here; here == 0 {
			t.Errorf("%s: request %d was never worked on", s.name, n)
		}
	}
	r.extra = float64(runs)/float64(len(s.took)) - 1
	for _, server := range s.servers {
		v := server.door()
		r.counts.Registered += v.Tied.Registered
		r.counts.Cancelled += v.Tied.Cancelled
		r.counts.Told += v.Tied.Told
		r.counts.Untold += v.Tied.Untold
		r.counts.TooLate += v.Tied.TooLate
	}
	for _, client := range s.clients {
		if policy, err := client.set.Policy("dep"); err == nil && policy.Snapshot().Hedge != nil {
			r.sent += policy.Snapshot().Hedge.Counts.Sent
		}
	}
	if r.sent > 0 {
		r.called = float64(r.counts.Cancelled) / float64(r.sent)
	}
	return r
}

// Under a load of 80 % a request is served by whichever of two servers is free
// first, and hardly ever by both. All three sides get the same requests at the
// same times. With -tied 60s and -v the figures are worth reading.
func TestTiedUnderLoad(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rate := 2 * tiedWorkers * tiedLoad / tiedMean.Seconds()
	requests := int(rate * tiedTime.Seconds())
	sides := []*tiedSide{newTiedSide(t, "neither", "", requests), newTiedSide(t, "hedged", "hedge: {}", requests),
		newTiedSide(t, "tied", "hedge: {tied: true}", requests)}
	tr := &http.Transport{MaxIdleConnsPerHost: 1000}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: time.Minute}
	var all sync.WaitGroup
	var alone []time.Duration
	next := time.Now()
	for n := range requests {
		next = next.Add(time.Duration(rng.ExpFloat64() / rate * 1e9))
		service := time.Duration(rng.ExpFloat64() * float64(tiedMean)).Round(time.Microsecond)
		alone = append(alone, service)
		time.Sleep(time.Until(next))
		for _, s := range sides {
			all.Go(func() { s.ask(client, n, service) })
		}
	}
	all.Wait()
	reports := map[string]tiedReport{}
	t.Logf("%d requests by %d clients to 2 servers of %d workers, %.0f%% busy, %v each", requests, *tiedClients,
		tiedWorkers, tiedLoad*100, tiedMean)
	t.Logf("%-8s %8s %8s %8s %8s %8s %11s", "", "p50", "p99", "p99.9", "copies", "twice", "called off")
	p50, p99, p999 := quantiles(alone)
	t.Logf("%-8s %8v %8v %8v  without any wait", "work", ms(p50), ms(p99), ms(p999))
	for _, s := range sides {
		r := s.report(t)
		reports[s.name] = r
		t.Logf("%-8s %8v %8v %8v %8d %7.2f%% %10.1f%%  %+v", s.name, ms(r.p50), ms(r.p99), ms(r.p999), r.sent,
			100*r.extra, 100*r.called, r.counts)
		if s.failed.Load() > 0 {
			t.Errorf("%s: %d requests failed", s.name, s.failed.Load())
		}
	}
	r := reports["tied"]
	if r.called < 0.7 {
		t.Errorf("%.0f%% of the copies were called off, want nearly all", 100*r.called)
	}
	if r.extra > 0.2 { // under 1 % on a machine that does nothing else
		t.Errorf("%.1f%% of the work was done twice", 100*r.extra)
	}
	if d := int(math.Round(r.extra * float64(requests))); int(r.counts.TooLate) > 2*d {
		t.Errorf("%d requests ran twice, and the doors say %d", d, r.counts.TooLate)
	}
}

func quantiles(all []time.Duration) (p50, p99, p999 time.Duration) {
	all = slices.Sorted(slices.Values(all))
	at := func(q float64) time.Duration { return all[int(q*float64(len(all)-1))] }
	return at(0.5), at(0.99), at(0.999)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000) }
