package curves

import (
	"testing"
	"time"
)

const ms = time.Millisecond

func show(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestRow(t *testing.T) {
	var c Tally
	c.Sent(200)
	for k := range 150 {
		c.Ended(true, k >= 100, time.Duration(k+1)*ms)
	}
	if r := c.Row(time.Second); *r.Sent != 200 || r.Success != nil || r.P99MS != nil {
		t.Errorf("%+v, although 50 are under way", r)
	}
	for range 50 {
		c.Ended(false, false, time.Second)
	}
	r := c.Row(2 * time.Second)
	show(t, "sent", r.Sent, 100)
	show(t, "success", r.Success, 0.75)
	show(t, "fallback", r.Fallback, 0.25)
	show(t, "p50", r.P50MS, 76)
	show(t, "p99", r.P99MS, 149)
	if r := new(Tally).Row(time.Second); *r.Sent != 0 || r.Success != nil {
		t.Errorf("of none: %+v", r)
	}
}

func TestShares(t *testing.T) {
	got := Shares([]Change{{-ms, true}, {500 * ms, false}, {1800 * ms, true}, {1900 * ms, false},
		{2600 * ms, true}}, 4, time.Second)
	for k, want := range []float64{0.5, 0.1, 0.4, 1} {
		show(t, "a share", got[k], want)
	}
	for _, v := range Shares(nil, 2, time.Second) {
		show(t, "of none", v, 0)
	}
	got = Shares([]Change{{5 * time.Second, true}, {6 * time.Second, false}}, 2, time.Second)
	show(t, "what is later", got[1], 0)
}

func TestLevel(t *testing.T) {
	l := Level{Step: time.Second}
	l.Add(500*ms, 4)
	l.Add(1500*ms, -2)
	l.Set(1500*ms, 3)
	got := l.Means(4)
	for k, want := range []float64{2, 3.5, 3, 3} {
		show(t, "a mean", got[k], want)
	}
}

func TestNewIsEmpty(t *testing.T) {
	c := New([]string{"a", "b"}, 3, 2*time.Second)
	if c.StepS != 2 || len(c.Busy) != 3 || len(c.Endpoints) != 2 || c.Endpoints[1].Name != "b" {
		t.Fatalf("%+v", c)
	}
	e := &c.Endpoints[1]
	e.Set(2, Row{Sent: Value(1.23456)})
	show(t, "rounded", e.Sent[2], 1.235)
	if e.Sent[1] != nil || e.Open[2] != nil {
		t.Error("there are values that nobody gave")
	}
}
