package demo

import (
	"slices"
	"testing"
	"time"
)

func TestSpells(t *testing.T) {
	const s = time.Second
	plan := []Slow{{"pricing", Late, 2 * s, 10 * s, 10 * s}, {"pricing", Down, 0, 30 * s, 5 * s}}
	half, silent := &Slow{Name: "pricing", Mean: s / 2}, &Slow{Name: "pricing", Fault: Silent}
	well := &Slow{Name: "pricing", Mean: usual}
	for _, tc := range []struct {
		name     string
		orders   []order
		from, to time.Duration
		want     []Slow
	}{
		{"as planned", nil, 0, 60 * s, plan},
		{"cut at both ends", nil, 12 * s, 32 * s,
			[]Slow{{"pricing", Late, 2 * s, 12 * s, 8 * s}, {"pricing", Down, 0, 30 * s, 2 * s}}},
		{"an order instead of the plan, until another says auto",
			[]order{{5 * s, "pricing", half}, {15 * s, "pricing", nil}}, 0, 25 * s,
			[]Slow{{"pricing", Late, s / 2, 5 * s, 10 * s}, {"pricing", Late, 2 * s, 15 * s, 5 * s}}},
		{"one order after the other, to the end",
			[]order{{12 * s, "pricing", half}, {16 * s, "pricing", silent}}, 14 * s, 40 * s,
			[]Slow{{"pricing", Late, s / 2, 14 * s, 2 * s}, {"pricing", Silent, 0, 16 * s, 24 * s}}},
		{"ordered to be well", []order{{0, "pricing", well}}, 0, 60 * s, nil},
	} {
		if got := spells(plan, tc.orders, tc.from, tc.to); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestOrdersAreBounded(t *testing.T) {
	var o orders
	for k := range maxOrders + 10 {
		o.add(order{time.Duration(k), "pricing", nil})
	}
	if all := o.of("pricing"); len(all) != maxOrders || all[0].at != 10 || o.count() != maxOrders+10 {
		t.Errorf("%d of %d are kept, from %v on", len(all), o.count(), all[0].at)
	}
	if len(o.of("inventory")) != 0 {
		t.Error("orders of another")
	}
}

// A change of the scenario file says what a spell is.
func TestChange(t *testing.T) {
	const s = time.Second
	for want, spell := range map[string]Slow{
		"{at: 2s, for: 3s, service: pricing, work: {floor: 5ms, mean: 2s}}": {"pricing", Late, 2 * s, 12 * s, 3 * s},
		"{at: 0s, service: pricing, down: true}":                            {"pricing", Down, 0, 10 * s, 20 * s},
		"{at: 5s, for: 1s, service: pricing, silent: true}":                 {"pricing", Silent, 0, 15 * s, s},
		"{at: 5s, service: pricing, work: 5ms}":                             {"pricing", Late, floor, 15 * s, 15 * s},
	} {
		if got := spell.change(10*s, 30*s); got != want {
			t.Errorf("%v: %s, want %s", spell, got, want)
		}
	}
}
