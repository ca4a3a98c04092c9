package seakeeptest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Answer is what a Backend does with one request. The zero value answers at
// once with 200 and an empty body.
type Answer struct {
	Status int               // from 200 on; zero: 200
	After  time.Duration     // how long the request waits for its answer
	Header map[string]string // such as {"Retry-After": "2"}
	Body   string
	// BodyAfter is how long the body lets wait for itself once the headers are
	// sent.
	BodyAfter time.Duration
	Fault     Fault
	// Times is how many requests are answered so. Zero is one. The last answer
	// of a script is for all requests that are left, whatever it says.
	Times int
}

// Fault is what goes wrong with an answer.
type Fault uint8

const (
	// NoFault: the answer comes whole.
	NoFault Fault = iota
	// Reset: the connection is reset and there is no answer, as when a program
	// dies.
	Reset
	// CutOff: the headers come, and the first half of the body. Then the
	// connection ends.
	CutOff
	// Silent: the request is taken and never answered.
	Silent
)

// String returns the fault's name in lower case.
func (f Fault) String() string {
	switch f {
	case NoFault:
		return "none"
	case Reset:
		return "reset"
	case CutOff:
		return "cut-off"
	case Silent:
		return "silent"
	}
	return "invalid"
}

// answers is a script on its way.
type answers struct {
	list  []Answer
	given int // of the first one
}

// newAnswers returns a script. It panics if there is no such answer.
func newAnswers(list []Answer) *answers {
	for i, a := range list {
		if a.Status != 0 && (a.Status < 200 || a.Status > 999) || a.Fault > Silent {
			panic(fmt.Sprintf("seakeeptest: answer %d has the status %d and the fault %v; give a status "+
				"such as 503, and one of the package's faults", i+1, a.Status, a.Fault))
		}
	}
	return &answers{list: slices.Clone(list)}
}

// next returns the answer for the next request.
func (s *answers) next() Answer {
	if len(s.list) == 0 {
		return Answer{}
	}
	a := s.list[0]
	s.given++
	if s.given >= max(a.Times, 1) && len(s.list) > 1 {
		s.list, s.given = s.list[1:], 0
	}
	return a
}

func (a *Answer) status() int {
	if a.Status == 0 {
		return http.StatusOK
	}
	return a.Status
}

// give carries the answer out, once its time has come. It returns the status
// that was sent; zero if none was. wait waits, and reports false if whoever
// asked has left.
func (a *Answer) give(w http.ResponseWriter, wait func(time.Duration) bool) (status int, whole bool) {
	switch {
	case a.Fault == Silent:
		return 0, wait(forever)
	case !wait(a.After):
		return 0, false
	case a.Fault == Reset:
		reset(w)
		return 0, true
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	body := a.Body
	if a.Fault == CutOff && body == "" {
		body = "-"
	}
	if body != "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(a.status())
	if a.BodyAfter > 0 {
		_ = http.NewResponseController(w).Flush()
		if !wait(a.BodyAfter) {
			return a.status(), false
		}
	}
	if a.Fault == CutOff {
		_, _ = io.WriteString(w, body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		return a.status(), true
	}
	_, err := io.WriteString(w, body)
	return a.status(), err == nil || errors.Is(err, http.ErrBodyNotAllowed)
}

// forever is longer than any test.
const forever = time.Duration(1<<63 - 1)

// reset ends a connection as a program that has died does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if c, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		_ = c.SetLinger(0)
	}
	_ = conn.Close()
}

var _ interface{ SetLinger(sec int) error } = (*net.TCPConn)(nil)
