package seakeephttp

import (
	"context"
	"net/http"
	"time"

	"github.com/seakeep/seakeep"
)

// exerciseTime bounds a fallback that nobody waits for.
const exerciseTime = 10 * time.Second

// exerciseDue reports whether this healthy call should exercise the fallbacks.
// Another dependency is only asked for what changes nothing there.
func (x *exchange) exerciseDue() bool {
	return x.adapter.Fallback().Exercise > 0 && readOnly(x.req) && x.adapter.ExerciseDue()
}

// readOnly reports whether a request can be sent without anybody having asked
// for it.
func readOnly(req *http.Request) bool {
	if carries(req) {
		return false
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return false
}

// exercise runs the fallbacks beside a healthy call and drops their answers, so
// that they are known to work on the day they are needed. What is written in
// the file cannot fail, and an empty cache is no fault.
func (x *exchange) exercise() {
	var others []string
	for _, a := range x.order() {
		switch {
		case a.Static != nil:
			x.adapter.Exercised(kindStatic, nil)
		case a.Dependency != "":
			others = append(others, a.Dependency)
		}
	}
	switch {
	case len(others) == 0:
	case !x.adapter.BeginFallback():
		x.adapter.Exercised(kindDependency, seakeep.ErrFallbackFull)
	default:
		ctx := context.WithoutCancel(quiet(x.req.Context(), x.info))
		go rehearse(ctx, x.pool.of, x.adapter, others, x.req.Clone(ctx))
	}
}

// rehearse asks the other dependencies.
func rehearse(ctx context.Context, t *Transport, a seakeep.Adapter, others []string,
	req *http.Request) {
	defer a.EndFallback()
	ctx, cancel := context.WithTimeout(ctx, exerciseTime)
	defer cancel()
	for _, name := range others {
		resp, err := t.ask(name, req.WithContext(ctx))
		if err == nil {
			discard(resp)
		}
		a.Exercised(kindDependency, err)
	}
}
