package overload

import (
	"io"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Report is what a sweep measured. Its names in JSON are a promise to scripts;
// whatever is offered, served or refused is a rate a second.
type Report struct {
	Capacity    float64 `json:"capacity"`
	Workers     int     `json:"workers"`
	WorkMS      float64 `json:"work_ms"`         // mean
	PatienceMS  float64 `json:"patience_ms"`     // of a user
	TargetMS    float64 `json:"queue_target_ms"` // of the guard; 0: unknown
	Seed        uint64  `json:"seed"`
	Interrupted bool    `json:"interrupted"`

	Bare      []Point     `json:"bare"`
	Protected []Point     `json:"protected"`
	Holds     []live.Hold `json:"holds"`
}

// Point is one load.
type Point struct {
	Load     float64               `json:"load"` // times the capacity
	Offered  float64               `json:"offered"`
	Goodput  float64               `json:"goodput"` // answered in time
	P99      *float64              `json:"p99_ms"`  // of those; null: there were none
	ByClass  map[string]ClassPoint `json:"by_class"`
	CountedS float64               `json:"counted_s"`
	LateMS   float64               `json:"late_ms"` // how late the generator was at most
	Skipped  uint64                `json:"skipped"` // not made: too many were under way
	Repeats  int                   `json:"repeats"` // earlier runs, which were too late
}

// ClassPoint is one class at one load. What is neither served nor shed got no
// answer in time.
type ClassPoint struct {
	Offered float64 `json:"offered"`
	OK      float64 `json:"ok"`
	Shed    float64 `json:"shed"`

	offered, ok uint64 // as counts
}

// share returns how much of what was offered was served; 1 if nothing was.
func (c ClassPoint) share() float64 {
	if c.offered == 0 {
		return 1
	}
	return float64(c.ok) / float64(c.offered)
}

func newReport(o Options) *Report {
	r := &Report{Capacity: o.Machine.Capacity(), Workers: o.Machine.Workers,
		WorkMS: millis(o.Machine.Mean), PatienceMS: millis(time.Second), Seed: o.Seed,
		Bare: []Point{}, Protected: []Point{}, Holds: []live.Hold{}}
	if t, ok := o.guard.(interface{ target() time.Duration }); ok {
		r.TargetMS = millis(t.target())
	}
	return r
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error { return live.WriteJSON(w, r) }

// Held reports whether all held that was promised.
func (r *Report) Held() bool { return live.AllHeld(r.Holds) }
