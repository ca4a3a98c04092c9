package overload

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// TenantReport is what the demo of tenants measured. Its names in JSON are a
// promise to scripts; whatever is offered, served or refused is a rate a second.
type TenantReport struct {
	Capacity    float64 `json:"capacity"`
	Flood       float64 `json:"flood"`           // a second
	Steady      float64 `json:"steady"`          // a second, of each of the nine
	TargetMS    float64 `json:"queue_target_ms"` // of the guard; 0: unknown
	Seed        uint64  `json:"seed"`
	Interrupted bool    `json:"interrupted"`

	Bare      TenantSide  `json:"bare"`
	Protected *TenantSide `json:"protected"` // null: did not run
	Holds     []live.Hold `json:"holds"`
}

// TenantSide is the program with one guard. A run that did not take place is
// null.
type TenantSide struct {
	Quiet   *TenantPoint `json:"quiet"`
	Flooded *TenantPoint `json:"flooded"`
}

// TenantPoint is one run.
type TenantPoint struct {
	Offered  float64    `json:"offered"` // by the nine together
	OK       float64    `json:"ok"`
	Success  float64    `json:"success"` // share of ok in offered
	Worst    float64    `json:"worst"`   // the lowest such share of one of the nine
	P99      *float64   `json:"p99_ms"`
	Tenth    TenthPoint `json:"tenth"`
	CountedS float64    `json:"counted_s"`
	LateMS   float64    `json:"late_ms"`
	Skipped  uint64     `json:"skipped"`
	Repeats  int        `json:"repeats"` // earlier runs, which were too late

	offered, ok uint64 // as counts
}

// TenthPoint is about the tenant that floods.
type TenthPoint struct {
	Offered float64 `json:"offered"`
	OK      float64 `json:"ok"`
	Shed    float64 `json:"shed"`
}

// What the demo of tenants promises.
const (
	takenDown   = 0.5   // of what the nine ask: they get less of a bare program
	kept        = 0.999 // of it: they get as much of a protected one
	tenantsRise = 2     // p99 of the nine, in quiet ones, and the target of the queue
)

func newTenantReport(o TenantOptions) *TenantReport {
	r := &TenantReport{Capacity: o.Machine.Capacity(), Flood: o.Flood * o.Machine.Capacity(),
		Steady: steady * o.Machine.Capacity(), Seed: o.Seed, Holds: []live.Hold{}}
	if o.guard != nil {
		r.Protected = &TenantSide{}
	}
	if t, ok := o.guard.(interface{ target() time.Duration }); ok {
		r.TargetMS = millis(t.target())
	}
	return r
}

func (r *TenantReport) add(flooded bool, b, p *outcome) {
	put := func(side *TenantSide, o *outcome) {
		if side == nil || o == nil {
			return
		}
		if flooded {
			side.Flooded = tenantPoint(o)
		} else {
			side.Quiet = tenantPoint(o)
		}
	}
	put(&r.Bare, b)
	put(r.Protected, p)
}

func tenantPoint(o *outcome) *TenantPoint {
	offered, ok, latency := o.nine()
	p := &TenantPoint{Offered: o.perSecond(offered), OK: o.perSecond(ok), Success: part(ok, offered),
		Worst: 1, P99: p99(latency), CountedS: o.counted.Seconds(), LateMS: o.lateMS,
		Skipped: o.skipped, Repeats: o.repeats, offered: offered, ok: ok}
	for i := range neighbours {
		p.Worst = min(p.Worst, part(o.kinds[i].served, o.kinds[i].offered()))
	}
	t := &o.kinds[neighbours]
	p.Tenth = TenthPoint{o.perSecond(t.offered()), o.perSecond(t.served), o.perSecond(t.refused)}
	return p
}

// part returns a share; of nothing it is all.
func part(some, all uint64) float64 {
	if all == 0 {
		return 1
	}
	return float64(some) / float64(all)
}

// judge says of each promise whether it held.
func (r *TenantReport) judge() {
	if f := r.Bare.Flooded; f != nil {
		r.Holds = append(r.Holds, live.Judged("bare, the flood of one tenant takes the nine others down",
			f.unless(f.Success < takenDown, "they still get %.1f%%", f.Success*100)))
	}
	if r.Protected == nil || r.Protected.Flooded == nil {
		return
	}
	q, f := r.Protected.Quiet, r.Protected.Flooded
	r.Holds = append(r.Holds, live.Judged("protected, the nine keep 99.9% of their requests",
		f.unless(f.Success >= kept, "they lose %d of %d", f.offered-f.ok, f.offered)))
	const latency = "protected, their p99 stays within 2 quiet ones and the queue's target"
	if q.P99 == nil || f.P99 == nil {
		r.Holds = append(r.Holds, live.Judged(latency, []string{"nothing was served"}))
		return
	}
	limit := tenantsRise**q.P99 + r.TargetMS
	r.Holds = append(r.Holds, live.Judged(latency,
		f.unless(*f.P99 <= limit, "it is %.0fms; %.0fms are allowed", *f.P99, limit)))
}

// unless returns what speaks against a promise, if anything.
func (p *TenantPoint) unless(held bool, format string, args ...any) []string {
	if held {
		return nil
	}
	return []string{fmt.Sprintf(format, args...) + live.Busy(p.LateMS)}
}

// WriteJSON writes the report as one object.
func (r *TenantReport) WriteJSON(w io.Writer) error { return live.WriteJSON(w, r) }

// Held reports whether all held that was promised.
func (r *TenantReport) Held() bool { return live.AllHeld(r.Holds) }

// headline says what runs and heads the rows.
func (r *TenantReport) headline() string {
	return fmt.Sprintf("A program that does %.0f requests a second. Nine tenants send %.0f/s each.\n"+
		"The tenth sends as much, and then %.0f/s.\n\n%-20s %9s %9s %7s %7s  %s\n", r.Capacity,
		r.Steady, r.Flood, "", "the nine", "answered", "worst", "p99", "the tenth gets")
}

// rows writes what has been measured of one kind of run.
func (r *TenantReport) rows(flooded bool) string {
	var b strings.Builder
	row := func(name string, side *TenantSide) {
		if side == nil {
			return
		}
		p, when := side.Quiet, "quiet"
		if flooded {
			p, when = side.Flooded, "flooded"
		}
		if p == nil {
			return
		}
		fmt.Fprintf(&b, "%-20s %7.0f/s %8.2f%% %6.1f%% %7s  %.0f of %.0f/s\n", name+", "+when, p.Offered,
			p.Success*100, p.Worst*100, latencyText(p.P99), p.Tenth.OK, p.Tenth.Offered)
	}
	row("bare", &r.Bare)
	row("protected", r.Protected)
	return b.String()
}

// WriteText writes what held.
func (r *TenantReport) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.Interrupted {
		b.WriteString("\nStopped early.\n")
	}
	if len(r.Holds) > 0 {
		b.WriteString("\n" + live.Verdicts(r.Holds))
	}
	late, skipped := 0.0, uint64(0)
	for _, side := range []*TenantSide{&r.Bare, r.Protected} {
		if side == nil {
			continue
		}
		for _, p := range []*TenantPoint{side.Quiet, side.Flooded} {
			if p != nil {
				late, skipped = max(late, p.LateMS), skipped+p.Skipped
			}
		}
	}
	b.WriteString(live.Excuse(late, skipped))
	_, err := io.WriteString(w, b.String())
	return err
}
