package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seakeep/seakeep/core"
)

func TestEventOf(t *testing.T) {
	e := core.Event{Kind: core.AttemptEnded, Policy: "pricing", Attempt: 1, Outcome: core.Timeout, Cause: core.TimedOut,
		Took: 250 * time.Millisecond, Left: -time.Millisecond}
	text, err := json.Marshal(EventOf(&e, 1500))
	if want := `{"at_ms":1500,"kind":"attempt-ended","policy":"pricing","outcome":"timeout","cause":"` +
		core.TimedOut.String() + `","attempt":1,"took_ms":250,"left_ms":-1}`; err != nil || string(text) != want {
		t.Errorf("%s\n%s %v", text, want, err)
	}
	if v := EventOf(&core.Event{Kind: core.RequestRefused, Reason: core.Shed}, 0); v.Criticality != "critical" {
		t.Errorf("%+v", v)
	}
}

func TestText(t *testing.T) {
	for _, s := range []string{strings.Repeat("é", 200), "x" + strings.Repeat("é", 200), strings.Repeat("\x80", 300),
		strings.Repeat("a", MaxText)} {
		got := Text(s)
		if len(got) > MaxText || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	}
	if got := Text(strings.Repeat("a", MaxText)); len(got) != MaxText || strings.HasSuffix(got, "…") {
		t.Error("what fits is cut")
	}
}

func TestWorstFirst(t *testing.T) {
	half, all := 0.5, 1.0
	list := []Dependency{{Name: "idle"}, {Name: "busy", Rate: 9, Success: &all, Answered: &all},
		{Name: "open", Breaker: &Breaker{State: "open", Mode: "auto"}},
		{Name: "failing", Success: &half, Answered: &half, Breaker: &Breaker{State: "open", Mode: "auto"}},
		{Name: "full", Bulkhead: &Slots{InUse: 9, Limit: 10}}, {Name: "out", Endpoints: &Endpoints{Total: 4, Up: 3}},
		{Name: "burned", SLOLeft: new(float64)}}
	for i := range list {
		list[i].Badness = Badness(&list[i])
	}
	WorstFirst(list)
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "failing burned open full out busy idle" {
		t.Error(got)
	}
}

func TestWords(t *testing.T) {
	all, most, few, edge := 1.0, 0.99999, 0.00001, 0.9995
	for _, c := range [][2]string{{Percent(&all), "100.0 %"}, {Percent(&most), "99.9 %"},
		{Percent(edge), "99.9 %"}, {Percent(few), "0.1 %"},
		{Percent((*float64)(nil)), "-"}, {MS(3.21), "3.2 ms"}, {MS(250), "250 ms"}, {MS(2500), "2.5 s"},
		{Number(0), "0"}, {Number(0.123), "0.12"}, {Number(1234.5), "1234"},
		{BreakerWord(&Breaker{State: "open", Mode: "force-open"}), "open (force-open)"},
		{SlotsWord(3, &Slots{InUse: 3, Limit: 9, Queued: 2}), "3 / 9 + 2"}, {SlotsWord(3, nil), "3"}} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
