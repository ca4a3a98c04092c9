package stats

import (
	"math"
	"testing"
)

// The quantiles are those of the tables in any book, to the digits they print.
func TestStudentAgainstTables(t *testing.T) {
	tests := []struct {
		p      float64
		df     int
		want   float64
		digits float64
	}{
		{0.975, 1, 12.7062047, 1e-7}, {0.975, 2, 4.30265273, 1e-8}, {0.975, 3, 3.18244631, 1e-8},
		{0.975, 4, 2.77644511, 1e-8}, {0.975, 5, 2.57058184, 1e-8}, {0.975, 9, 2.26215716, 1e-8},
		{0.975, 10, 2.22813885, 1e-8}, {0.975, 29, 2.04522964, 1e-8},
		{0.975, 30, 2.04227246, 1e-8}, {0.975, 120, 1.97993041, 1e-8},
		{0.975, 1000, 1.96233908, 1e-8}, {0.95, 4, 2.13184679, 1e-8},
		{0.9, 7, 1.41492393, 1e-8}, {0.995, 1, 63.6567412, 1e-7},
		{0.995, 8, 3.35538733, 1e-8}, {0.9995, 1, 636.619249, 1e-5}, {0.9995, 5, 6.86882663, 1e-8},
		{0.75, 1, 1, 1e-12}, {0.975, 1_000_000, 1.959966, 1e-6},
	}
	for _, test := range tests {
		if got := Student(test.p, test.df); math.Abs(got-test.want) > test.digits {
			t.Errorf("Student(%v, %d) = %.9f, want %v", test.p, test.df, got, test.want)
		}
	}
}

// With two degrees of freedom the quantile has a closed form.
func TestStudentOfTwoDegrees(t *testing.T) {
	for p := 0.01; p < 1; p += 0.01 {
		want := (2*p - 1) / math.Sqrt(2*p*(1-p))
		if got := Student(p, 2); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
			t.Errorf("Student(%v, 2) = %v, want %v", p, got, want)
		}
	}
}

func TestStudentIsSymmetricAndRises(t *testing.T) {
	for _, df := range []int{1, 2, 3, 4, 7, 8, 60, 61} {
		last := math.Inf(-1)
		for p := 0.005; p < 1; p += 0.005 {
			x := Student(p, df)
			if x <= last {
				t.Fatalf("Student(%v, %d) = %v does not rise from %v", p, df, x, last)
			}
			last = x
			if y := Student(1-p, df); math.Abs(x+y) > 1e-9*max(1, math.Abs(x)) {
				t.Fatalf("Student(%v, %d) = %v, its mirror is %v", p, df, x, y)
			}
		}
	}
}

func TestStudentAtTheEdges(t *testing.T) {
	if got := Student(0.5, 3); got != 0 {
		t.Errorf("the median is %v, want 0", got)
	}
	if !math.IsInf(Student(1, 3), 1) || !math.IsInf(Student(0, 3), -1) {
		t.Error("the quantiles of 1 and 0 are not infinite")
	}
	for _, got := range []float64{Student(0.9, 0), Student(-0.1, 3), Student(1.1, 3),
		Student(math.NaN(), 3)} {
		if !math.IsNaN(got) {
			t.Errorf("%v where there is no answer", got)
		}
	}
}
