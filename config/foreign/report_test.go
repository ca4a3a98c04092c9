package foreign

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestReportAsJSON(t *testing.T) {
	tr, _ := translate(t, Envoy, "- {name: 'a<b', connect_timeout: 1s, x: {y: 1, z: 2}}\n")
	var out bytes.Buffer
	if err := tr.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back Translation
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Policy != tr.Policy || len(back.Report.Settings) != 3 ||
		back.Report.Settings[2].Fate != Dropped || back.Report.Settings[2].Count != 2 {
		t.Errorf("%+v comes back as %+v", tr, back)
	}
	for _, want := range []string{`"fate": "approximated"`, `"value": "a<b"`, `"warnings": []`, `"mapped": 1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
	var f Fate
	if err := f.UnmarshalText([]byte("lost")); err == nil || Fate(7).String() != "invalid" {
		t.Error("a fate that is none is taken")
	}
}

// Settings that are used twice are told once, with all the keys that stand for
// them; many of them are counted.
func TestReportOfSharedSettings(t *testing.T) {
	routes := make([]string, 12)
	for i := range routes {
		routes[i] = "{match: {prefix: /" + string(rune('a'+i)) + "}, route: {cluster: c}}"
	}
	text := "virtual_hosts: [{name: v, domains: ['*'], retry_policy: {retry_on: reset, per_try_timeout: 1s}, routes: [" +
		strings.Join(routes, ", ") + "]}]\n"
	tr, _ := translate(t, Envoy, text)
	for _, s := range tr.Report.Settings {
		if strings.HasSuffix(s.Path, "per_try_timeout") {
			if len(s.To) != mostTargets+1 || s.To[mostTargets] != "4 more" || s.Fate != Mapped {
				t.Errorf("the limit went to %v", s.To)
			}
			return
		}
	}
	t.Error("the limit is not in the report")
}

// Whatever the policy file warns of is in the report.
func TestReportHoldsWarnings(t *testing.T) {
	tr, _ := translate(t, Envoy, routed("{}",
		", timeout: 1s, retry_policy: {retry_on: 5xx, num_retries: 3, per_try_timeout: 0.4s}"))
	if w := tr.Report.Warnings; len(w) != 1 || !strings.Contains(w[0], "only 2 of 4 attempts fit") {
		t.Errorf("the warnings are %q", w)
	}
}

// Text of the input cannot break out of a comment, a path or a terminal.
func TestHostileText(t *testing.T) {
	tr, f := translate(t, Resilience4j,
		"x=y\nresilience4j.retry.instances[a\\n  evil: {}\\u001b[31m\\u2028].maxAttempts=2\n")
	if len(f.Dependencies) != 1 || strings.ContainsAny(tr.Policy, "\x1b\u2028") {
		t.Errorf("the policy is\n%s", tr.Policy)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"pricing": "pricing", "a b|c": "a-b-c", "": "unnamed", "--": "unnamed", "_x.": "x",
		strings.Repeat("x", 70) + "end": strings.Repeat("x", 60) + "end",
	} {
		got, same := cleanName(text)
		if got != want || same != (got == text) || !ValidName(got) {
			t.Errorf("%q becomes %q, %v, want %q", text, got, same, want)
		}
	}
	u := newNamer()
	long := strings.Repeat("y", 63)
	for _, want := range []string{long, long[:61] + "-2", long[:61] + "-3"} {
		if got := u.unique(long); got != want {
			t.Errorf("the next name is %q, want %q", got, want)
		}
	}
	if u.unique("a-2"); u.unique("a") != "a" || u.unique("a") != "a-3" {
		t.Error("a numbered name is given twice")
	}
}

func TestProtoTimes(t *testing.T) {
	for text, want := range map[string]string{"1s": "1s", "0.25s": "250ms", "1.000000001s": "1.000000001s",
		"0s": "0s", "90s": "1m30s", "3600s": "1h"} {
		if d, ok := parseProtoTime(text); !ok || showTime(d) != want {
			t.Errorf("%s is %v", text, d)
		}
	}
	for _, text := range []string{"", "1", "1m", "-1s", "1.s", ".5s", "1.0000000001s", "1e3s", "s"} {
		if d, ok := parseProtoTime(text); ok {
			t.Errorf("%q is taken for %v", text, d)
		}
	}
}
