package core

import "testing"

func TestCriticalities(t *testing.T) {
	names := []string{"sheddable", "sheddable_plus", "critical", "critical_plus"}
	for i, name := range names {
		c := CriticalityAt(i)
		if c.Index() != i || c.String() != name {
			t.Errorf("class %d has index %d and name %q", i, c.Index(), c)
		}
		if got, ok := ParseCriticality(name); got != c || !ok {
			t.Errorf("%q reads as %v, %v", name, got, ok)
		}
		if i > 0 && c <= CriticalityAt(i-1) {
			t.Errorf("%v is not above the class before", c)
		}
	}
	if c, ok := ParseCriticality("CRITICAL_PLUS"); c != CriticalPlus || !ok {
		t.Errorf("upper case reads as %v, %v", c, ok)
	}
	var zero Criticality
	for _, bad := range []string{"", "critical ", "critical-plus", "criticalx", "sheddable_plusplus"} {
		if c, ok := ParseCriticality(bad); ok || c != zero {
			t.Errorf("%q reads as %v, %v", bad, c, ok)
		}
	}
	if zero != Critical || Criticality(7).String() != "invalid" || Criticality(-9).String() != "invalid" {
		t.Error("the zero value or an invalid one has the wrong name")
	}
}
