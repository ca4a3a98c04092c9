package seakeeptest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errScript = errors.New("scripted")

func TestScriptGoesByItsSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewScript(Step[string]{Err: errScript, Times: 2, After: 3 * time.Second},
			Step[string]{Silent: true}, Step[string]{After: time.Hour}, Step[string]{Value: "well"})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for i, want := range []struct {
			v   string
			err error
		}{{"", errScript}, {"", errScript}, {"", context.DeadlineExceeded}, {"", context.DeadlineExceeded},
			{"well", nil}, {"well", nil}} {
			if v, err := s.Call(ctx); v != want.v || err != want.err {
				t.Errorf("call %d: %q, %v; want %q, %v", i+1, v, err, want.v, want.err)
			}
		}
		if _, err := s.Call(t.Context()); err != nil {
			t.Error(err)
		}
		calls := s.Calls()
		want := []Call{{0, 3 * time.Second, 10 * time.Second, errScript, true},
			{3 * time.Second, 3 * time.Second, 7 * time.Second, errScript, true},
			{6 * time.Second, 4 * time.Second, 4 * time.Second, context.DeadlineExceeded, true}}
		for i, w := range want {
			if calls[i] != w {
				t.Errorf("call %d is recorded as %+v, want %+v", i+1, calls[i], w)
			}
		}
		if len(calls) != 7 || calls[6].Limit != 0 {
			t.Errorf("%d calls, the last %+v", len(calls), calls[len(calls)-1])
		}
	})
}

func TestScriptUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewScript(Step[int]{After: time.Second})
		go s.Call(t.Context())
		synctest.Wait()
		if c := s.Calls(); len(c) != 1 || c[0].Ended {
			t.Errorf("%+v", c)
		}
		time.Sleep(2 * time.Second)
		if c := s.Calls(); !c[0].Ended || c[0].Took != time.Second {
			t.Errorf("%+v", c)
		}
	})
}

func TestScriptPanics(t *testing.T) {
	s := NewScript(Step[int]{Panic: "oh"})
	func() {
		defer func() {
			if p := recover(); p != "oh" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _ = s.Call(t.Context())
		t.Error("no panic")
	}()
	if c := s.Calls(); len(c) != 1 || !c[0].Ended || c[0].Err == nil || c[0].Err.Error() != "panic: oh" {
		t.Errorf("%+v", c)
	}
}

func TestEmptyScript(t *testing.T) {
	s := NewScript[int]()
	if v, err := s.Call(t.Context()); v != 0 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}
