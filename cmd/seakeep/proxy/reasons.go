package proxy

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// recent is how old the numbers in an explanation may be.
const recent = 100 * time.Millisecond

// explanations keeps what was said last about each reason. To explain a refusal
// means to read every rung of its policy, and refusals come by the thousand
// just when there is least to spare.
type explanations struct {
	mu   sync.Mutex
	said map[subject]explanation
}

type subject struct {
	policy string
	reason core.Reason
}

type explanation struct {
	text string
	at   core.Instant
}

// of explains a refusal.
func (e *explanations) of(r *seakeep.Rejection) string {
	if r.Last != nil { // it has a story of its own
		return seakeep.Explain(r)
	}
	about, now := subject{r.Policy, r.Reason}, seakeep.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if s, ok := e.said[about]; ok && now.Sub(s.at) < recent {
		return s.text
	}
	if e.said == nil {
		e.said = map[subject]explanation{}
	}
	text := seakeep.Explain(r)
	e.said[about] = explanation{text, now}
	return text
}
