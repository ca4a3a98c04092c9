package proxy

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/hedge"
)

// hedgeSettings has the time or the quantile after which a copy is due.
type hedgeSettings struct {
	AfterMS  float64 `json:"after_ms,omitempty"`
	Quantile float64 `json:"quantile,omitempty"`
	Copies   int     `json:"copies"`
	Budget   float64 `json:"budget"`
	WindowMS float64 `json:"window_ms"`
	Minimum  int     `json:"minimum"`
	Slow     float64 `json:"slow"`
	Same     bool    `json:"same,omitempty"`
	Tied     bool    `json:"tied,omitempty"`
}

func hedgeSettingsOf(c *hedge.Config, tied bool) *hedgeSettings {
	if c == nil {
		return nil
	}
	return &hedgeSettings{millis(c.After), c.Quantile, c.Copies, c.Budget, millis(c.Window),
		c.Minimum, c.Slow, c.Same, tied}
}

type hedgeView struct {
	// AfterMS is left out while too little is known for a quantile.
	AfterMS float64 `json:"after_ms,omitempty"`
	Due     float64 `json:"due_share"`
	Tokens  float64 `json:"copies_saved_up"`
	Held    string  `json:"held,omitempty"`
	Calls   uint64  `json:"calls"`
	Slow    uint64  `json:"due"`
	Sent    uint64  `json:"sent"`
	Won     uint64  `json:"won"`
}

func hedgeOf(s *hedge.Snapshot) *hedgeView {
	if s == nil {
		return nil
	}
	v := &hedgeView{AfterMS: millis(s.After), Due: s.Due, Tokens: s.Tokens, Calls: s.Counts.Calls,
		Slow: s.Counts.Due, Sent: s.Counts.Sent, Won: s.Counts.Won}
	if s.Held != core.NoReason {
		v.Held = s.Held.String()
	}
	return v
}
