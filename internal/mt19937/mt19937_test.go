package mt19937

import "testing"

// What Python's random.Random(seed) gives: the first three of random(), and
// the first and the ten thousandth of getrandbits(32), each from a new one.
var python = []struct {
	seed        uint32
	floats      [3]float64
	first, late uint32
}{
	{0, [3]float64{0.8444218515250481, 0.7579544029403025, 0.420571580830845},
		3626764237, 3292398474},
	{7, [3]float64{0.32383276483316237, 0.15084917392450192, 0.6509344730398537},
		1390851128, 1630820426},
	{42, [3]float64{0.6394267984578837, 0.025010755222666936, 0.27502931836911926},
		2746317213, 3981887252},
	{1<<32 - 1, [3]float64{0.6353574441341173, 0.20319993954407756, 0.6073666030347188},
		2728839433, 3957488064},
}

func TestFloatsArePythons(t *testing.T) {
	for _, row := range python {
		g := New(row.seed)
		for i, want := range row.floats {
			if got := g.Float64(); got != want {
				t.Errorf("seed %d: draw %d is %v, Python's is %v", row.seed, i, got, want)
			}
		}
	}
}

// The ten thousandth comes after sixteen twists of the state.
func TestWordsArePythons(t *testing.T) {
	for _, row := range python {
		g := New(row.seed)
		if got := g.Uint32(); got != row.first {
			t.Errorf("seed %d: the first word is %d, Python's is %d", row.seed, got, row.first)
		}
		for range 9998 {
			g.Uint32()
		}
		if got := g.Uint32(); got != row.late {
			t.Errorf("seed %d: the 10,000th word is %d, Python's is %d", row.seed, got, row.late)
		}
	}
}
