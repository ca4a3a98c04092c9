package seakeephttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// promise is a request that the objectives of the file want to know about. A nil
// promise is one that they do not.
type promise struct {
	to    *seakeep.Objectives
	path  string
	began core.Instant
	begun core.Instant // when the answer began; 0: it has not
	age   time.Duration
}

// promised begins one.
func (g *Gate) promised(r *http.Request) *promise {
	to := g.set.Objectives()
	if to == nil {
		return nil
	}
	return &promise{to: to, path: r.URL.Path, began: seakeep.Now()}
}

// answered notes that the answer has begun, and how old it says that it is.
func (p *promise) answered() {
	if p != nil && p.begun == 0 {
		p.begun = seakeep.Now()
	}
}

// end counts the request. One whose caller has left is not counted.
func (p *promise) end(class core.Criticality, o core.Outcome) {
	if p == nil {
		return
	}
	p.answered()
	p.to.Report(seakeep.Measure{Path: p.path, Class: class, Outcome: o,
		Took: p.begun.Sub(p.began), Age: p.age})
}

// Aged tells the objectives how old an answer is, by the Age of its header. Call
// it when the answer begins, and before End.
func (p *Passage) Aged(h http.Header) {
	if p.promise == nil {
		return
	}
	if age, ok := h["Age"]; ok && len(age) > 0 {
		if n, err := strconv.ParseInt(strings.TrimSpace(age[0]), 10, 32); err == nil && n > 0 {
			p.promise.age = time.Duration(n) * time.Second
		}
	}
}
