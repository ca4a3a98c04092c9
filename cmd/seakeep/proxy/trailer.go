package proxy

import (
	"net/http"
	"slices"

	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
)

// ours are fields in which the proxy says something itself, so that nobody else
// may in a place that is read later.
var ours = [...]string{"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
	deadline.Header, retry.AttemptHeader}

// trailer is what may come behind a request's body.
type trailer struct {
	fields    http.Header // the request's own, which fills when the body ends
	announced []string
}

func trailerOf(r *http.Request) (t trailer) {
	t.fields = r.Trailer
	for name := range r.Trailer {
		if !slices.Contains(ours[:], name) {
			t.announced = append(t.announced, name)
		}
	}
	return t
}

// strip leaves what was announced, and nothing that could pass for what the
// proxy says of a request. It comes when all fields are here.
func (t trailer) strip() {
	if len(t.fields) == 0 {
		return
	}
	for name := range t.fields {
		if !slices.Contains(t.announced, name) {
			delete(t.fields, name)
		}
	}
}
