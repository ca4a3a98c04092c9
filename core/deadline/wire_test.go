package deadline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// unitOf is the step of an encoded grpc-timeout.
func unitOf(encoded string) time.Duration {
	for _, u := range grpcUnits {
		if u.letter == encoded[len(encoded)-1] {
			return u.length
		}
	}
	return 0
}

func TestRoundTripNeverShortensAndStaysWithinAUnit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		d := time.Duration(random.Int64() >> random.IntN(63)) // every magnitude
		text := EncodeGRPC(d)
		got, err := DecodeGRPC(text)
		if err != nil || got < d || got != math.MaxInt64 && got-d >= unitOf(text) {
			t.Fatalf("%d ns is %q, which is %v, %v", d, text, got, err)
		}
		text = EncodeMillis(d)
		got, err = DecodeMillis(text)
		if err != nil || got < d || got != math.MaxInt64 && got-d >= time.Millisecond {
			t.Fatalf("%d ns is %q, which is %v, %v", d, text, got, err)
		}
	}
}

func TestDecodeMillis(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "1": time.Millisecond,
		"250": 250 * time.Millisecond, "00250": 250 * time.Millisecond,
		"-1": 0, "-99999999999999999999": 0, "-0": 0,
		"9223372036854":        9223372036854 * time.Millisecond,
		"9223372036855":        math.MaxInt64,
		"9223372036854775808":  math.MaxInt64,
		"99999999999999999999": math.MaxInt64,
	} {
		if got, err := DecodeMillis(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", "--1", "+1", "1.5", "1e3", "250ms", " 1", "1 ", "abc"} {
		if got, err := DecodeMillis(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestRead(t *testing.T) {
	const none = -1
	tests := []struct {
		own, envoy, grpc string
		want             time.Duration // milliseconds; none: not found
		bad              string        // header named by the error
	}{
		{want: none},
		{own: "250", want: 250},
		{envoy: "250", want: 250},
		{grpc: "250m", want: 250},
		{own: "300", envoy: "200", grpc: "100m", want: 100},
		{own: "300", envoy: "200", grpc: "1S", want: 200},
		{own: "100", envoy: "200", grpc: "1S", want: 100},
		// Expired is the smallest there is.
		{own: "0", envoy: "200", want: 0},
		{own: "200", grpc: "0n", want: 0},
		// Envoy's 0 sets no limit.
		{envoy: "0", want: none},
		{own: "300", envoy: "0", want: 300},
		// What cannot be read is reported, and the rest still holds.
		{own: "soon", want: none, bad: Header},
		{own: "soon", grpc: "100m", want: 100, bad: Header},
		{own: "300", envoy: "1.5", want: 300, bad: EnvoyHeader},
		{own: "300", grpc: "1s", want: 300, bad: GRPCHeader},
	}
	for _, test := range tests {
		headers := map[string]string{
			Header: test.own, EnvoyHeader: test.envoy, GRPCHeader: test.grpc,
		}
		got, found, err := Read(func(name string) string { return headers[name] })
		want := test.want * time.Millisecond
		if test.want == none {
			want = 0
		}
		if got != want || found != (test.want != none) {
			t.Errorf("%+v: %v, %v", test, got, found)
		}
		wrong := err != nil
		if wrong != (test.bad != "") || wrong && !strings.Contains(err.Error(), test.bad) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}

func TestReadReportsAllThatIsWrongAndNoMoreThanABit(t *testing.T) {
	_, found, err := Read(func(string) string { return strings.Repeat("x", 1<<20) })
	if found || err == nil || strings.Count(err.Error(), "\n") != 2 || len(err.Error()) > 1000 {
		t.Errorf("found %v, error of %d bytes", found, len(err.Error()))
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	get := func(name string) string {
		if name == GRPCHeader {
			return "250m"
		}
		return "300"
	}
	if n := testing.AllocsPerRun(1000, func() { _, _, _ = Read(get) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecodeGRPC(f *testing.F) {
	for _, seed := range []string{"1S", "99999999H", "0n", "000000001S", "-1S", "S", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := DecodeGRPC(text)
		if d < 0 || err != nil && d != 0 {
			t.Fatalf("%q: %v, %v", text, d, err)
		}
		if err != nil {
			return
		}
		if again, err := DecodeGRPC(EncodeGRPC(d)); err != nil || again < d {
			t.Errorf("%q is %v and goes on as %v, %v", text, d, again, err)
		}
	})
}

func FuzzDecodeMillis(f *testing.F) {
	for _, seed := range []string{"250", "-5", "99999999999999999999", "1.5", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := DecodeMillis(text); d < 0 || err != nil && d != 0 {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("250", "0", "1S")
	f.Add("-1", "abc", "99999999H")
	f.Fuzz(func(t *testing.T, own, envoy, grpc string) {
		headers := map[string]string{Header: own, EnvoyHeader: envoy, GRPCHeader: grpc}
		left, found, _ := Read(func(name string) string { return headers[name] })
		if left < 0 || !found && left != 0 {
			t.Errorf("%q: %v, %v", headers, left, found)
		}
	})
}

// A margin is a twentieth between 1 and 5 ms, and never more than half.
func TestMargin(t *testing.T) {
	const ms = time.Millisecond
	for left, want := range map[time.Duration]time.Duration{
		-ms: 0, 0: 0, ms: ms / 2, 2 * ms: ms, 10 * ms: ms, 40 * ms: 2 * ms, 100 * ms: 5 * ms,
		time.Hour: 5 * ms, 1<<63 - 1: 5 * ms,
	} {
		if got := Margin(left); got != want {
			t.Errorf("of %v it is %v, want %v", left, got, want)
		}
	}
}
