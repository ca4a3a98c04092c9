package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// One client's flood leaves the others what is theirs, and what all together may
// send has an end.
func TestBeaconLimit(t *testing.T) {
	var l beaconLimit
	now := time.Unix(1000, 0)
	sent := func(client string, n int) (taken int) {
		for range n {
			if _, ok := l.admit(now, client, 5, 1); ok {
				taken++
			}
		}
		return taken
	}
	if got := sent("liar", 1000); got != 10 {
		t.Errorf("of a flood %d are taken at once, want ten seconds' worth", got)
	}
	if wait, ok := l.admit(now, "liar", 5, 1); ok || wait != time.Second {
		t.Errorf("%v, %v", wait, ok)
	}
	if got := sent("other", 3); got != 3 {
		t.Errorf("of another client %d of 3", got)
	}
	all := 13
	for i := range 20 {
		all += sent(fmt.Sprint(i), 3)
	}
	if all != 50 {
		t.Errorf("of all together %d, want 50", all)
	}
	now = now.Add(2 * time.Second)
	if got := sent("liar", 5); got != 2 {
		t.Errorf("after two seconds %d more, want 2", got)
	}
	now = now.Add(-time.Hour) // the clock was set back
	if got := sent("liar", 5); got != 0 {
		t.Errorf("%d by a clock that went back", got)
	}
	if taken, refused := l.counts(); taken != 52 || refused == 0 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}

// Clients that are told apart have a bound. Beyond it newcomers share, until
// others have been silent for long enough.
func TestBeaconClientsAreBounded(t *testing.T) {
	var l beaconLimit
	now := time.Unix(1000, 0)
	take := func(client string) bool { _, ok := l.admit(now, client, 1e6, 1); return ok }
	for i := range mostBeaconClients {
		take(fmt.Sprint(i))
	}
	taken := 0
	for i := range 100 {
		if take(fmt.Sprint("new", i)) {
			taken++
		}
	}
	if taken != beaconBurst || len(l.clients) != mostBeaconClients {
		t.Errorf("%d of newcomers are taken, %d clients", taken, len(l.clients))
	}
	if !take("5") {
		t.Error("one that is told apart has lost what is its own")
	}
	now = now.Add(beaconBurst * time.Second)
	if !take("late") || len(l.clients) != 1 {
		t.Errorf("%d clients, of which the others have been silent", len(l.clients))
	}
}

func TestClientOf(t *testing.T) {
	for remote, want := range map[string]string{
		"10.0.0.7:99": "10.0.0.7", "[::ffff:10.0.0.7]:99": "10.0.0.7", "[2001:db8:1:2:3::4]:99": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:9": "fe80::/64", "@": "@", "pipe:1": "pipe",
	} {
		if got := clientOf(remote); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

// At the door a beacon too many gets 429 and counts nothing; the admin address,
// which not everybody reaches, has no such bound.
func TestBeaconsAtTheDoor(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {}")+strings.Replace(promised, "beacon: /beacon",
		"beacon: /beacon\n  beacon-client-rate: 0.3/s", 1))
	statuses := map[int]int{}
	for range 8 {
		resp, err := plain.Post(u.url("serve", "/beacon"), "application/json",
			strings.NewReader(`{"browser": {"good": 1}}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		statuses[resp.StatusCode]++
		if resp.StatusCode == 429 && resp.Header.Get("Retry-After") == "" {
			t.Error("it does not say when to come again")
		}
	}
	if statuses[204] < 3 || statuses[204] > 4 || statuses[204]+statuses[429] != 8 {
		t.Errorf("%v", statuses)
	}
	for range 20 {
		if status, _ := u.post("/v1/slo/beacon", `{"browser": {"good": 1}}`); status != 204 {
			t.Errorf("at the admin address: %d", status)
		}
	}
	if o := u.slo().Objectives[1]; o.Good != uint64(statuses[204]+20) {
		t.Errorf("%+v", o)
	}
	if _, text := u.admin("GET", "/metrics", ""); !strings.Contains(text, fmt.Sprintf(`seakeep_proxy_beacons_total{result="refused"} %d`,
		statuses[429])) {
		t.Error("the metric does not tell of them")
	}
}
