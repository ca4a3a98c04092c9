package seakeephttp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// What is set outside is set outside again, and not brought back from the
// store; fields of the connection are not kept at all.
func TestFieldsFromOutsideAreNotReplayed(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close, X-Hop")
		w.Header().Set("X-Hop", "1")
		w.Header().Set("Date", "yesterday")
		w.Header().Set("X-Kept", "1")
	})
	n := 0
	outside := func() http.Header {
		n++
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		w.Header().Set("X-Request-Id", fmt.Sprint(n))
		a.ServeHTTP(w, r)
		return w.Header()
	}
	if h := outside(); h.Get("X-Request-Id") != "1" || h.Get("X-Hop") != "1" {
		t.Errorf("the first %v", h)
	}
	if h := outside(); h.Get("X-Request-Id") != "2" || h.Get("X-Kept") != "1" || h.Get("X-Hop") != "" ||
		h.Get("Connection") != "" || h.Get("Date") != "" {
		t.Errorf("the replay %v", h)
	}
}

func TestAnswerEncoding(t *testing.T) {
	for _, a := range []KeyedAnswer{
		{Status: 200, Header: http.Header{}, Trailer: http.Header{}, Body: []byte{}},
		{Status: 201, Header: http.Header{"A": {"1", "\xff\x00"}, "B": nil}, Trailer: http.Header{"T": {""}}, Body: []byte("body")},
	} {
		got, ok := decodeAnswer(a.encode())
		if !ok || !reflect.DeepEqual(*got, a) {
			t.Errorf("%+v comes back as %+v, %v", a, got, ok)
		}
	}
	// What is stored today is read tomorrow: this must never change.
	const stored = "\x01\xc9\x01\x01\x01A\x02\x011\x012\x01\x01T\x01\x013body"
	want := KeyedAnswer{Status: 201, Header: http.Header{"A": {"1", "2"}}, Trailer: http.Header{"T": {"3"}}, Body: []byte("body")}
	if got := string(want.encode()); got != stored {
		t.Errorf("stored as %q", got)
	}
	if got, ok := decodeAnswer([]byte(stored)); !ok || !reflect.DeepEqual(*got, want) {
		t.Errorf("read as %+v, %v", got, ok)
	}
}

// An answer that cannot be read any more, for example because a newer release
// has written it, is as good as not stored.
func TestUnreadableAnswer(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, nil)
	a.post("k", "")
	c := a.Handler.(*keeper)
	c.Store = rewriting{c.Store}
	expectReason(t, a.post("k", ""), 409, "key-not-stored")
	a.expectRuns(t, 1)
}

type rewriting struct{ idempotency.Store }

func (s rewriting) Admit(now core.Instant, c idempotency.Claim) (idempotency.Record, core.Reason, error) {
	r, reason, err := s.Store.Admit(now, c)
	r.Answer = []byte("\x02a form to come")
	return r, reason, err
}

func FuzzDecodeAnswer(f *testing.F) {
	f.Add((&KeyedAnswer{Status: 201, Header: http.Header{"A": {"1"}}, Body: []byte("b")}).encode())
	f.Add([]byte{1, 200, 1, 0, 0})
	f.Add([]byte{1, 200, 1, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, in []byte) {
		a, ok := decodeAnswer(in)
		if !ok {
			return
		}
		again, ok := decodeAnswer(a.encode())
		if !ok || !reflect.DeepEqual(a, again) {
			t.Errorf("%q is %+v, and then %+v", in, a, again)
		}
	})
}

func BenchmarkKeyedWrite(b *testing.B) {
	a := keyedTill(b, IdempotencyConfig{}, nil)
	for _, key := range []string{"", "k"} {
		b.Run(map[string]string{"": "new", "k": "replayed"}[key], func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				k := key
				if k == "" {
					k = fmt.Sprint("n", n)
				}
				a.post(k, "tea")
			}
		})
	}
}
