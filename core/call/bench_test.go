package call

import (
	"testing"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
)

func benchmarkCall(b *testing.B, p *Plan) {
	b.ReportAllocs()
	var c Call
	for now := core.Instant(1); b.Loop(); now++ {
		c.Begin(now, p, &Request{Deadline: core.Never, Draw: 0.5})
		c.Step(now, &Event{Kind: Returned, Result: core.Result{Outcome: core.Success}})
	}
}

func BenchmarkFullLadder(b *testing.B) {
	benchmarkCall(b, tightPlan(nil, bulkhead.Calls, breaker.Attempts))
}

func BenchmarkBareLadder(b *testing.B) {
	p, _ := New(Config{}, 1, nil)
	benchmarkCall(b, p)
}
