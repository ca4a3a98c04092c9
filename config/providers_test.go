package config

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/shard"
)

// What the file says arrives, with the defaults of the policies.
func TestShardsAndFailover(t *testing.T) {
	f := mustParse(t, dependency("shards: {size: 3, key: X-Tenant}, failover: {to: b, share: 40%}")+"  b: {}\n")
	d := f.Dependencies[0]
	if s := d.Shards; s == nil || s.Config != (shard.Config{Size: 3}) || s.Key != "X-Tenant" || s.Overflow {
		t.Errorf("%+v", s)
	}
	want := failover.Config{Share: 0.4, Window: 30 * time.Second, Calls: 20, Back: failover.Back{
		After: time.Minute, Begin: 0.05, Step: 10 * time.Second, Calls: 10, Share: 0.2}}
	if c := d.Failover; c == nil || c.Config != want || c.To != "b" || c.Write != Stay {
		t.Errorf("%+v", c)
	}
	if b := f.Dependencies[1]; b.Shards != nil || b.Failover != nil {
		t.Errorf("%+v and %+v without a section", b.Shards, b.Failover)
	}
}

// Every field that a failover can complain about has a key, and what the
// readers let through it takes, at both ends.
func TestFailoverTakesTheReadersBounds(t *testing.T) {
	bad := math.NaN()
	for _, e := range split(failover.Config{Share: bad, Window: -1, Calls: -1, Back: failover.Back{
		After: -1, Begin: bad, Step: -1, Calls: -1, Share: bad}}.Validate()) {
		if name := e.Error()[:len(e.Error())-len(afterColon(e.Error()))]; failoverFields[name] == "" {
			t.Errorf("no key for the field of %q", e)
		}
	}
	for _, body := range []string{
		"share: 0.01%, window: 10ms, calls: 1, back: {after: 10ms, begin: 0.01%, step: 10ms, calls: 1, share: 0.01%}",
		"share: 100%, window: 1h, calls: 1000000, back: {after: 24h, begin: 100%, step: 24h, calls: 1000000, share: 100%}",
	} {
		f := mustParse(t, dependency("failover: {to: b, "+body+"}")+"  b: {}\n")
		if err := f.Dependencies[0].Failover.Validate(); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, c := range []failover.Config{{Share: 1.01}, {Window: time.Hour + 1}, {Calls: 1_000_001},
		{Back: failover.Back{After: 24*time.Hour + 1}}, {Back: failover.Back{Step: 9 * time.Millisecond}}} {
		if c.Validate() == nil {
			t.Errorf("a policy takes more than the file allows: %+v", c)
		}
	}
}

func afterColon(s string) string {
	for i := range s {
		if s[i] == ':' {
			return s[i:]
		}
	}
	return ""
}

// A key below the short form of the way back spells it out.
func TestSetBelowAShortWayBack(t *testing.T) {
	text := dependency("failover: {to: b, back: 2m}") + "  b: {}\n"
	next, err := Set([]byte(text), "dependencies.a.failover.back.step", "30s")
	if err != nil {
		t.Fatal(err)
	}
	f := mustParse(t, string(next))
	if b := f.Dependencies[0].Failover.Back; b.After != 2*time.Minute || b.Step != 30*time.Second {
		t.Errorf("%+v of\n%s", b, next)
	}
}
