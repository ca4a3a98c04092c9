package foreign

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
)

const policyA = `{"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "2.5s", "backoffMultiplier": 1.5,
  "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]}`

func TestGRPCDefaultIsTheDependency(t *testing.T) {
	tr, f := translate(t, GRPC, `{"methodConfig": [{"name": [{}], "timeout": "1.5s", "retryPolicy": `+policyA+`}]}`)
	d := f.Dependency("grpc-target")
	want := retry.Config{Attempts: 4, MaxWait: 30 * time.Second, Idempotent: retry.Always,
		Causes:  retry.Of(core.Unsent, core.Reset, core.Unavailable, core.TooMany),
		Backoff: retry.Backoff{Base: 100 * ms, Cap: 2500 * ms, Factor: 1.5, Jitter: retry.Equal}}
	if d.Call.Timeout.Total != 1500*ms || *d.Call.Retry != want || d.Call.Budget != nil {
		t.Errorf("the dependency is %+v, retry %+v, want %+v", d, d.Call.Retry, want)
	}
	expectFate(t, tr, "initialBackoff", "approximated", "80 to 120")
	expectFate(t, tr, "name[0]", "mapped", "every method")
}

func TestGRPCMethods(t *testing.T) {
	tr, f := translate(t, GRPC, `{"methodConfig": [
  {"name": [{"service": "s.A"}, {"service": "s.A", "method": "M"}], "timeout": "1s"},
  {"name": [{"service": "s.B", "method": "N"}], "retryPolicy": `+policyA+`},
  {"name": [{"service": "s.A"}, {"service": "bad name"}, {"method": "x"}, 7], "timeout": "9s"},
  {"name": [], "timeout": "9s"}, 5],
 "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`)
	d := f.Dependency("grpc-target")
	if got := matchNames(d); got != "s.A.M(/s.A/M) s.B.N(/s.B/N) s.A(/s.A/*) other-methods(/*)" {
		t.Errorf("the operations are %s", got)
	}
	if op := operation(t, f, "grpc-target", "s.A"); op.Call.Retry != nil || op.Call.Timeout.Total != time.Second {
		t.Errorf("s.A is %+v", op)
	}
	if op := operation(t, f, "grpc-target", "s.B.N"); op.Call.Retry.Attempts != 4 ||
		op.Call.Timeout.Total != 0 || op.Own != 0 {
		t.Errorf("s.B.N is %+v", op)
	}
	if op := operation(t, f, "grpc-target", "other-methods"); op.Call.Retry != nil {
		t.Error("methods without settings are retried")
	}
	if want := (budget.Config{Kind: budget.Tokens, MaxTokens: 10, Ratio: 0.1}); *d.Call.Budget != want {
		t.Errorf("the budget is %+v, want %+v", d.Call.Budget, want)
	}
	expectFate(t, tr, "methodConfig[2].name[0]", "dropped", "there before")
	expectFate(t, tr, "methodConfig[2].name[1]", "dropped", "not the name")
	expectFate(t, tr, "methodConfig[2].name[2]", "dropped", "without its service")
	expectFate(t, tr, "methodConfig[2].name[3]", "dropped", "not a name")
	expectFate(t, tr, "methodConfig[3]", "dropped", "no method")
	expectFate(t, tr, "methodConfig[4]", "dropped", "not a method config")
}

func TestGRPCPolicies(t *testing.T) {
	edit := func(old, new string) string { return strings.Replace(policyA, old, new, 1) }
	for _, tc := range []struct {
		policy       string
		attempts     int // 0: no retry
		suffix, fate string
		note         string
	}{
		{edit("4", "9"), 5, "maxAttempts", "mapped", "at most 5"},
		{edit("4", "1"), 0, "retryPolicy", "dropped", "refuses"},
		{edit("4", `"4"`), 4, "maxAttempts", "mapped", ""},
		{edit(`["UNAVAILABLE", "RESOURCE_EXHAUSTED"]`, `["ABORTED"]`), 0, "retryPolicy", "dropped", "refuses"},
		{edit(`"RESOURCE_EXHAUSTED"`, `"ABORTED"`), 4, "retryableStatusCodes[1]", "dropped", "no cause"},
		{edit(`"RESOURCE_EXHAUSTED"`, "4"), 4, "retryableStatusCodes[1]", "approximated", "ours"},
		{edit("1.5", "0.1"), 4, "backoffMultiplier", "approximated", "least"},
		{edit(`"2.5s"`, `"0.01s"`), 4, "initialBackoff", "approximated", "maxBackoff is less"},
		{edit(`"2.5s"`, `"0.0000001s"`), 4, "maxBackoff", "approximated", "least"},
		{edit(`"2.5s"`, `"later"`), 4, "maxBackoff", "dropped", "not a time"},
		{edit(`"0.1s"`, "0"), 4, "initialBackoff", "dropped", "not a time"},
	} {
		tr, f := translate(t, GRPC, `{"methodConfig": [{"name": [{}], "timeout": "1s", "retryPolicy": `+tc.policy+`}]}`)
		got := 0
		if r := f.Dependency("grpc-target").Call.Retry; r != nil {
			got = r.Attempts
		}
		if got != tc.attempts {
			t.Errorf("%s makes %d attempts, want %d", tc.policy, got, tc.attempts)
		}
		expectFate(t, tr, tc.suffix, tc.fate, tc.note)
	}
}

// grpc-go skips the check of retryThrottling where there is no methodConfig;
// here a number out of range is told in any case.
func TestGRPCThrottling(t *testing.T) {
	for _, tc := range []struct {
		throttle      string
		tokens, ratio float64
		fate          string
	}{
		{`{"maxTokens": 1000, "tokenRatio": 1}`, 1000, 1, "mapped"},
		{`{"maxTokens": 2000, "tokenRatio": 0.5}`, 1000, 0.5, "approximated"},
		{`{"maxTokens": 0, "tokenRatio": 0.5}`, 1, 0.5, "approximated"},
		{`{"maxTokens": "many", "tokenRatio": 0.125}`, 100, 0.125, "dropped"},
	} {
		tr, f := translate(t, GRPC, `{"methodConfig": [{"name": [{}], "retryPolicy": `+policyA+`}],
			"retryThrottling": `+tc.throttle+`}`)
		b := f.Dependency("grpc-target").Call.Budget
		if b.MaxTokens != tc.tokens || b.Ratio != tc.ratio {
			t.Errorf("%s gives %+v", tc.throttle, b)
		}
		expectFate(t, tr, "maxTokens", tc.fate, "")
	}
	tr, f := translate(t, GRPC, `{"methodConfig": [{"name": [{}], "timeout": "1s"}], "retryThrottling": {"maxTokens": 5}}`)
	if f.Dependency("grpc-target").Call.Retry != nil {
		t.Error("throttling alone makes retries")
	}
	expectFate(t, tr, "retryThrottling", "dropped", "no method makes a retry")
	if tr, f := translate(t, GRPC, `{"retryThrottling": {"maxTokens": 5}}`); f != nil || tr.Report.Dropped != 1 {
		t.Errorf("throttling alone makes a policy: %+v", tr)
	}
}

func TestGRPCChoices(t *testing.T) {
	tr, f := translate(t, GRPC, `[{"clientLanguage": ["go"], "serviceConfig": {"methodConfig": [{"name": [{}], "timeout": "1s"}]}},
		{"serviceConfig": {"methodConfig": []}}]`)
	if f.Dependency("grpc-target").Call.Timeout.Total != time.Second {
		t.Error("the first choice is not read")
	}
	expectFate(t, tr, "[1].serviceConfig", "dropped", "first choice")
	expectFate(t, tr, "clientLanguage", "dropped", "who uses")
}
