package seakeephttp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

// An answer without a body has nothing to limit: it reaches the caller as it
// would without limits, a failing one too.
func TestLimitsLeaveAnswersWithoutBodiesAlone(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST"} {
		for _, settings := range []string{"{}", "{body: 1KiB}", "{idle: 1s}"} {
			for _, retry := range []string{"none", "{attempts: 2}"} {
				tr := transport(t, setOf(t, file("response: "+settings+"\n    retry: "+retry, "http://a")),
					baseFunc(func(*http.Request) (*http.Response, error) {
						a := answer(503, "")
						a.Body, a.ContentLength = http.NoBody, 0
						return a, nil
					}))
				if g := send(tr, request(t, method, "http://test/", nil)); g.status != 503 || g.err != nil {
					t.Errorf("%s, response %s, retry %s: %d, %v", method, settings, retry, g.status, g.err)
				}
			}
		}
	}
}

// The timer may fire when its read has just ended, or when the next is under
// way: neither is too late.
func TestALimitThatComesLateItselfHitsNothing(t *testing.T) {
	limits := config.Response{Idle: time.Hour}
	for _, reading := range []bool{false, true} {
		var b *limitedBody
		hit := func() { b.late() }
		resp := answer(200, "")
		resp.Body = io.NopCloser(&between{strings.NewReader("body"), reading, func() { hit() }})
		resp.ContentLength = 4
		resp, err := bounded(resp, limits, &sending{stop: func(error) {}})
		if err != nil {
			t.Fatal(err)
		}
		b = resp.Body.(*limitedBody)
		if _, err := io.ReadFull(resp.Body, make([]byte, 2)); err != nil {
			t.Error(err)
		}
		if !reading {
			b.late()
		}
		if rest, err := io.ReadAll(resp.Body); string(rest) != "dy" || err != nil {
			t.Errorf("%q, %v", rest, err)
		}
	}
}

// between does something within each read, if it is to.
type between struct {
	io.Reader
	within bool
	do     func()
}

func (b *between) Read(p []byte) (int, error) {
	if b.within {
		b.do()
	}
	return b.Reader.Read(p)
}
