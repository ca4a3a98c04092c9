package study

import (
	"math"
	"testing"
)

func TestText(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tc := range []struct {
		unit       Unit
		mean, half float64
		text, bare string
	}{
		{Share, 0.5724, 0.0091, "57.2 % ±0.9", "57.2 % ±0.9"},
		{Share, 0.99, 0.0013, "99.00 % ±0.13", "99.00 % ±0.13"},
		{Share, 1, 4e-5, "100.000 % ±0.004", "100.000 % ±0.004"},
		{Share, 1, 0, "100 % ±0", "100 % ±0"},
		{Share, 0.123456, inf, "12.35 % ±?", "12.35 % ±?"},
		{PerSecond, 1000.13, 1.44, "1000.1/s ±1.4", "1000.1 ±1.4"},
		{PerSecond, 12345.6, 120, "12346/s ±120", "12346 ±120"},
		{PerSecond, 0, 0, "0/s ±0", "0 ±0"},
		{Seconds, 0.0756, 0.0006, "75.6 ms ±0.6", "75.6 ms ±0.6"},
		{Seconds, 2.5, 0.18, "2.50 s ±0.18", "2.50 s ±0.18"},
		{Seconds, 0.000017, 0.000003, "17 µs ±3", "17 µs ±3"},
		{Number, 22.0123, 0.2, "22.0 ±0.2", "22.0 ±0.2"},
		{Number, 22.0123, 1e-9, "22.01 ±0", "22.01 ±0"},
		{Number, nan, nan, "-", "-"},
	} {
		f := Figure{Unit: tc.unit, Mean: tc.mean, Half: tc.half}
		if got := f.Text(); got != tc.text {
			t.Errorf("%v ±%v %v is %q, want %q", tc.mean, tc.half, tc.unit, got, tc.text)
		}
		if got := f.Bare(); got != tc.bare {
			t.Errorf("%v ±%v %v is %q without unit, want %q", tc.mean, tc.half, tc.unit, got, tc.bare)
		}
	}
}

func TestUnitText(t *testing.T) {
	for _, tc := range []struct {
		unit Unit
		x    float64
		want string
	}{
		{Share, 0.99, "99 %"}, {Share, 0, "0 %"}, {Seconds, 0.25, "250 ms"}, {Seconds, 1.5, "1.5 s"},
		{Seconds, 0, "0 ms"}, {Seconds, 2e-6, "2 µs"}, {PerSecond, 1000, "1000/s"}, {Number, 7, "7"},
		{Number, 333.3333, "333.3"}, {Number, 12345.678, "12346"}, {Number, -0.0001, "0"},
		{Number, math.Inf(1), "unbounded"}, {Number, math.NaN(), "-"},
	} {
		if got := tc.unit.Text(tc.x); got != tc.want {
			t.Errorf("%v %v is %q, want %q", tc.x, tc.unit, got, tc.want)
		}
	}
	for u, want := range map[Unit]string{Number: "number", Share: "share", Seconds: "s",
		PerSecond: "/s", 9: "invalid"} {
		if u.String() != want {
			t.Errorf("unit %d is called %q", u, u.String())
		}
	}
}
