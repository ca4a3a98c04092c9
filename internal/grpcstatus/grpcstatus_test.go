package grpcstatus

import (
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seakeep/seakeep/core"
)

func TestResultOfEveryCode(t *testing.T) {
	failure := func(c core.Cause) core.Result { return core.Result{Outcome: core.Failure, Cause: c} }
	own := core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	want := map[Code]core.Result{
		OK: {Outcome: core.Success}, Cancelled: {Outcome: core.Cancelled},
		Unknown: failure(core.Unknown), InvalidArgument: own,
		DeadlineExceeded: {Outcome: core.Timeout, Cause: core.TimedOut}, NotFound: own,
		AlreadyExists: own, PermissionDenied: own,
		ResourceExhausted:  {Outcome: core.Overloaded, Cause: core.TooMany},
		FailedPrecondition: own, Aborted: own, OutOfRange: own, Unimplemented: own,
		Internal: failure(core.ServerError), Unavailable: failure(core.Unavailable),
		DataLoss: failure(core.ServerError), Unauthenticated: own,
		17: failure(core.Unknown), math.MaxUint32: failure(core.Unknown),
	}
	for code, r := range want {
		if got := code.Result(nil); got != r {
			t.Errorf("%v: %+v, want %+v", code, got, r)
		}
	}
	if len(want) != Codes+2 {
		t.Errorf("%d codes are tested", len(want))
	}
}

func TestPushbackSaysMoreThanTheCode(t *testing.T) {
	const over = core.Overloaded
	tests := []struct {
		code   Code
		values []string
		want   core.Result
	}{
		{Unavailable, []string{"250"}, core.Result{Outcome: over, Cause: core.Unavailable,
			Exact: true, RetryAfter: 250 * time.Millisecond}},
		{Unavailable, []string{"-1"}, core.Result{Outcome: over, Cause: core.Unavailable, NoRetry: true}},
		// What cannot be read means "do not", never "at once" (F069).
		{Unavailable, []string{"soon"}, core.Result{Outcome: over, Cause: core.Unavailable, NoRetry: true}},
		{Unavailable, []string{"1", "1"}, core.Result{Outcome: over, Cause: core.Unavailable, NoRetry: true}},
		{Unavailable, []string{"0"}, core.Result{Outcome: over, Cause: core.Unavailable, Exact: true, RetryAfter: 1}},
		{ResourceExhausted, []string{"9"}, core.Result{Outcome: over, Cause: core.TooMany,
			Exact: true, RetryAfter: 9 * time.Millisecond}},
		{Internal, []string{"-1"}, core.Result{Outcome: core.Failure, Cause: core.ServerError, NoRetry: true}},
		{NotFound, []string{"250"}, core.Result{Outcome: core.Ignored, Cause: core.ClientError}},
		{OK, []string{"-1"}, core.Result{Outcome: core.Success}},
	}
	for _, test := range tests {
		if got := test.code.Result(test.values); got != test.want {
			t.Errorf("%v with %q: %+v, want %+v", test.code, test.values, got, test.want)
		}
	}
}

func TestPushbackIsWrittenAsItIsRead(t *testing.T) {
	for want, d := range map[string]time.Duration{"0": -time.Second, "1": 1, "250": 250 * time.Millisecond,
		"251": 250*time.Millisecond + 1, "2147483647": math.MaxInt64} {
		if got := Pushback(d, false); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := Pushback(time.Second, true); got != "-1" {
		t.Error(got)
	}
}

func TestCodesOfRefusals(t *testing.T) {
	for reason, want := range map[core.Reason]Code{
		core.CircuitOpen: Unavailable, core.BulkheadFull: Unavailable, core.Shed: Unavailable,
		core.TenantLimit: ResourceExhausted, core.DeadlineTooShort: DeadlineExceeded,
		core.DeadlineExceeded: DeadlineExceeded, core.CallerCancelled: Cancelled} {
		if got, _ := OfReason(reason); got != want {
			t.Errorf("%v: %v, want %v", reason, got, want)
		}
	}
	if _, no := OfReason(core.Shed); !no {
		t.Error("who is shed may come back at once")
	}
	if _, no := OfReason(core.QueueTimeout); no {
		t.Error("who has waited in vain may not come back")
	}
}

func TestParse(t *testing.T) {
	for value, want := range map[string]Code{"0": OK, "14": Unavailable, "99": 99} {
		if got, ok := Parse(value); !ok || got != want {
			t.Errorf("%q: %v, %v", value, got, ok)
		}
	}
	for _, value := range []string{"", "-1", "+1", "x", "4294967296", "1 "} {
		if got, ok := Parse(value); ok || got != Unknown {
			t.Errorf("%q: %v, %v", value, got, ok)
		}
	}
	if Unavailable.String() != "UNAVAILABLE" || Code(99).String() != "99" {
		t.Error(Unavailable, Code(99))
	}
}

func TestCodesOfHTTP(t *testing.T) {
	for status, want := range map[int]Code{400: Internal, 401: Unauthenticated, 403: PermissionDenied,
		404: Unimplemented, 429: Unavailable, 431: Internal, 500: Unknown, 502: Unavailable,
		503: Unavailable, 504: Unavailable, 200: Unknown, 418: Unknown} {
		if got := OfHTTP(status); got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	for text, want := range map[string]string{"": "", "plain text": "plain text", "100%": "100%25",
		"\u00e4\n": "%C3%A4%0A", "\x7f": "%7F"} {
		if got := EncodeMessage(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for value, want := range map[string]string{"50%": "50%", "%zz": "%zz", "%C3%A4": "\u00e4",
		"%c3%a4%": "\u00e4%", "%FF": "\uFFFD"} {
		if got := DecodeMessage(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add("100 % \u00e4")
	f.Fuzz(func(t *testing.T, text string) {
		coded := EncodeMessage(text)
		for i := range len(coded) {
			if coded[i] < ' ' || coded[i] > '~' {
				t.Fatalf("%q is written as %q", text, coded)
			}
		}
		if got := DecodeMessage(coded); got != text && utf8.ValidString(text) {
			t.Errorf("%q comes back as %q", text, got)
		}
	})
}
