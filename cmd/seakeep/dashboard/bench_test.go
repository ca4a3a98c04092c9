package dashboard

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

// busy is a program with so many dependencies, each of which was called a
// thousand times, in latencies as they are.
func busy(tb testing.TB, n int) (*Dashboard, *Program) {
	text := strings.Builder{}
	text.WriteString("version: 1\nservice: shop\ndependencies:\n")
	for i := range n {
		fmt.Fprintf(&text, "  d%d: {kind: optional, timeout: {request: 1s}, bulkhead: {limit: 10}}\n", i)
	}
	file, err := config.Parse("shop.yaml", []byte(text.String()))
	if err != nil {
		tb.Fatal(err)
	}
	d, err := New(Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(d.Close)
	m := telemetry.New(telemetry.Options{})
	set, err := seakeep.NewSet(file, seakeep.Options{Observer: telemetry.Tee(m, d)})
	if err != nil {
		tb.Fatal(err)
	}
	d.Handler(Program{Set: set, Metrics: m})
	p := d.program.Load()
	d.frame(p, time.Now())
	both := telemetry.Tee(m, d)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for range 1000 {
			goodCall(both, fmt.Sprint("d", i), time.Duration((5+15*rng.ExpFloat64())*float64(time.Millisecond)))
		}
	}
	return d, p
}

func goodCall(o core.Observer, name string, took time.Duration) {
	o.Observe(core.Event{Kind: core.CallStarted, Policy: name, Left: 400 * time.Millisecond})
	o.Observe(core.Event{Kind: core.AttemptStarted, Policy: name})
	o.Observe(core.Event{Kind: core.AttemptEnded, Policy: name, Outcome: core.Success, Took: took})
	o.Observe(core.Event{Kind: core.CallEnded, Policy: name, Outcome: core.Success, Took: took})
}

// TestNoAllocation: a call that goes well allocates nothing here.
func TestNoAllocation(t *testing.T) {
	d, _ := busy(t, 1)
	if n := testing.AllocsPerRun(100, func() { goodCall(d, "d0", time.Millisecond) }); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

// A day of five busy dependencies fits what history may take several times over.
func TestADayFits(t *testing.T) {
	d, p := busy(t, 5)
	d.frame(p, time.Now())
	bytes := len(d.recent[0].encode())
	day := bytes * int(24*time.Hour/(coarse*tick))
	t.Logf("%d bytes a frame, %d MiB a day", bytes, day>>20)
	if day > mostBytes/2 {
		t.Errorf("a day takes %d MiB", day>>20)
	}
}

func BenchmarkCall(b *testing.B) {
	d, _ := busy(b, 20)
	b.ReportAllocs()
	for b.Loop() {
		goodCall(d, "d7", 3*time.Millisecond)
	}
}

func BenchmarkSnapshot200(b *testing.B) {
	d, p := busy(b, 200)
	for range span {
		d.frame(p, time.Now())
	}
	b.ReportAllocs()
	for b.Loop() {
		d.cached.v = nil
		_, text := d.snapshot(p)
		b.SetBytes(int64(len(text)))
	}
}

func BenchmarkFrame200(b *testing.B) {
	d, p := busy(b, 200)
	for b.Loop() {
		d.frame(p, time.Now())
	}
}
