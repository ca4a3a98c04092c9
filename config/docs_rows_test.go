package config

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The page is the program's promise: each row is tried.
func TestPolicyFilePage(t *testing.T) { policyPage.try(t, 80) }

func (b *book) try(t *testing.T, least int) {
	t.Helper()
	rows := b.rows(t)
	if len(rows) < least {
		t.Fatalf("%s has %d rows", b.page, len(rows))
	}
	for _, r := range rows {
		t.Run(r.path()+"/"+strconv.Itoa(r.table), func(t *testing.T) {
			if r.try != "" {
				r.accepts(t, r.file(rows, r.try, false))
			}
			r.checkDefault(t, rows)
			r.checkZero(t, rows)
			r.checkBounds(t, rows)
			r.checkWords(t, rows)
		})
	}
}

// effective is the key's path in messages and in Effective.
func (r row) effective() string {
	return strings.ReplaceAll(named(r.path()), "[]", "[0]")
}

// shown returns the key's value in effect.
func (r row) shown(values []Effective) (Effective, bool) {
	for _, e := range values {
		if e.Path == r.effective() {
			return e, true
		}
	}
	return Effective{}, false
}

func (r row) accepts(t *testing.T, text string) {
	t.Helper()
	values, err := r.parse(text)
	if err != nil {
		t.Errorf("refused: %v\n%s", err, text)
		return
	}
	e, ok := r.shown(values)
	if section := strings.Contains(r.value, "section"); !section && (!ok || e.Source != FromFile) {
		t.Errorf("Effective shows %+v (%v) of\n%s", e, ok, text)
	}
}

// refuses fails unless the one mistake is the key's and names the bounds.
func (r row) refuses(t *testing.T, text, bounds string) {
	t.Helper()
	_, err := r.parse(text)
	all, _ := err.(Errors)
	if len(all) != 1 || !strings.HasPrefix(r.effective(), all[0].Path) ||
		!strings.Contains(all[0].Fix, bounds) {
		t.Errorf("want one mistake at %s that says %q, got: %v\n%s",
			r.effective(), bounds, err, text)
	}
}

func (r row) checkDefault(t *testing.T, rows []row) {
	t.Helper()
	text := r.file(rows, "", false)
	switch r.def {
	case "-":
		return
	case "required":
		if slices.Contains(r.chooses, r.path()) {
			return
		}
		_, err := r.parse(text)
		if all, _ := err.(Errors); len(all) == 0 || all[0].Path != r.effective() {
			t.Errorf("left out, it is not missed: %v\n%s", err, text)
		}
		return
	}
	values, err := r.parse(text)
	if err != nil {
		t.Errorf("refused: %v\n%s", err, text)
		return
	}
	if e, ok := r.shown(values); !ok || e.Value != r.def || e.Source != FromDefault || e.Line != 0 {
		t.Errorf("the default is %+v (%v), the page has %q", e, ok, r.def)
	}
}

// checkZero tries zero, which the page allows or not (F171).
func (r row) checkZero(t *testing.T, rows []row) {
	t.Helper()
	kind, _, _ := strings.Cut(r.value, ",")
	zero := map[string]string{"time": "0s", "share": "0%", "rate": "0/s", "size": "0B",
		"integer": "0", "number": "0", "time or section": "0s", "integer or section": "0"}[kind]
	switch {
	case r.zero == "error":
		r.refuses(t, r.file(rows, zero, true), "")
	case r.zero != "-":
		r.accepts(t, r.file(rows, zero, true))
	case zero != "":
		t.Errorf("the page does not say what zero means for a %s", kind)
	}
}

// checkBounds tries both bounds and what lies beyond, and looks for them in
// the message (F176).
func (r row) checkBounds(t *testing.T, rows []row) {
	t.Helper()
	kind, rest, _ := strings.Cut(r.value, ", ")
	rest, _, _ = strings.Cut(rest, ",")
	low, high, found := strings.Cut(rest, " to ")
	if !found {
		return
	}
	bounds := "from " + low + " to " + high
	if r.key == "version" {
		bounds = "use 1"
	}
	r.accepts(t, r.file(rows, low, true))
	r.accepts(t, r.file(rows, high, true))
	below, above := beyond(t, kind, low, high)
	r.refuses(t, r.file(rows, below, true), bounds)
	r.refuses(t, r.file(rows, above, true), bounds)
}

// beyond returns the nearest values that are below low and above high.
func beyond(t *testing.T, kind, low, high string) (below, above string) {
	t.Helper()
	problem := ""
	read := func(bad string) {
		if bad != "" {
			problem = bad
		}
	}
	switch kind {
	case "time":
		a, bad := parseDuration(low)
		read(bad)
		b, bad := parseDuration(high)
		read(bad)
		below, above = (a - time.Nanosecond).String(), (b + time.Nanosecond).String()
	case "size":
		a, bad := parseSize(low)
		read(bad)
		b, bad := parseSize(high)
		read(bad)
		below, above = strconv.FormatInt(a-1, 10)+"B", strconv.FormatInt(b+1, 10)+"B"
	case "share", "rate", "integer", "number":
		a, b := strings.TrimRight(low, "%/s"), strings.TrimRight(high, "%/s")
		unit, step := low[len(a):], 0.001
		if kind == "integer" {
			step = 1
		}
		x, err := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err != nil || err2 != nil {
			problem = "no numbers"
		}
		if x > 0 && x < 2*step {
			step = min(step, x/2)
		}
		below = strconv.FormatFloat(x-step, 'f', -1, 64) + unit
		above = strconv.FormatFloat(y+step, 'f', -1, 64) + unit
	default:
		problem = "an unknown type"
	}
	if problem != "" {
		t.Fatalf("bounds of a %s, %s to %s: %s", kind, low, high, problem)
	}
	return below, above
}

// checkWords tries each word that the page has, and one that it has not.
func (r row) checkWords(t *testing.T, rows []row) {
	t.Helper()
	words := 0
	for i, part := range strings.Split(r.value, "`") {
		if i%2 == 1 {
			words++
			r.accepts(t, r.file(rows, part, true))
		}
	}
	if words == 0 || words == 1 && !strings.Contains(r.value, off) {
		return
	}
	r.refuses(t, r.file(rows, "nonesuch", true), "")
}
