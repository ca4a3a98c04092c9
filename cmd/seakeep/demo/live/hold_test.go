package live

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	good := Judged("it is fast", nil)
	bad := Judged("it is cheap", []string{"it costs 3" + Busy(100), "it " + strings.Repeat("very ", 16) +
		"dear" + Busy(101)})
	const want = "  holds  it is fast\n" +
		"  FAILS  it is cheap\n" +
		"         it costs 3; it very very very very very very very very very very very\n" +
		"         very very very very very dear (requests came up to 101ms late)\n"
	if got := Verdicts([]Hold{good, bad}); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if !AllHeld(nil) || !AllHeld([]Hold{good}) || AllHeld([]Hold{good, bad}) {
		t.Error("what is held is not all, or the other way round")
	}
}

func TestExcuse(t *testing.T) {
	for _, tc := range []struct {
		late    float64
		skipped uint64
		want    string // part of it
	}{{TooLate, 0, ""}, {101, 0, "101ms late"}, {0, 3, "3 requests were not made"}} {
		if got := Excuse(tc.late, tc.skipped); !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}

// What runs in the background has ended when stop returns.
func TestBackground(t *testing.T) {
	ended := false
	stop := Background(func(ctx context.Context) error {
		<-ctx.Done()
		ended = true
		return errors.New("nobody hears of it")
	})
	if stop(); !ended {
		t.Error("it still runs")
	}
}

func TestWriteJSON(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJSON(&out, Judged("a", nil)); err != nil ||
		out.String() != "{\n  \"promise\": \"a\",\n  \"held\": true\n}\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
