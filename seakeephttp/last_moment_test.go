package seakeephttp

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
)

// An answer whose head comes in the moment in which its attempt's time is up cannot
// be read, and is tried again like any that has not come.
func TestAnswerInTheLastMoment(t *testing.T) {
	for name, hedge := range map[string]*seakeep.Hedge{"alone": nil, "with copies": {After: time.Hour}} {
		p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: 10 * time.Millisecond, Total: 5 * time.Second},
			Retry: &seakeep.Retry{Attempts: 2, Backoff: quick}, Hedge: hedge,
			More: &seakeep.More{Unbudgeted: true}})
		var asked atomic.Int32
		rt := Wrap(p, baseFunc(func(r *http.Request) (*http.Response, error) {
			if asked.Add(1) == 1 {
				<-r.Context().Done()
				return answer(200, "late"), nil
			}
			return answer(200, "again"), nil
		}))
		g := send(rt, request(t, "GET", "http://test/", nil))
		if g.err != nil || g.status != 200 || g.body != "again" || asked.Load() != 2 {
			t.Errorf("%s: %+v, asked %d times", name, g, asked.Load())
		}
		if s := p.Snapshot().Stats; s.Retries != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
