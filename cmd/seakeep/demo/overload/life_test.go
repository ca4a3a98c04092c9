package overload

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// secondsOf reads a strip: # all, 9 nine in ten, 6 six in ten, . none, and a
// space nobody came.
func secondsOf(strip string) (all []second) {
	for _, c := range strip {
		all = append(all, map[rune]second{'#': {80, 80}, '9': {80, 72}, '6': {80, 48}, '.': {80, 0},
			' ': {}}[c])
	}
	return all
}

func TestLife(t *testing.T) {
	for strip, want := range map[string]string{
		"":                    "never goes down",
		"#####":               "never goes down",
		"##669966###":         "never goes down",
		"##....":              "goes down at 2s and stays there",
		"##....##":            "goes down at 2s and stays there", // not yet for long enough
		"##....###":           "goes down at 2s, is back at 6s",
		"##..99999###":        "goes down at 2s, is back at 9s",
		"##..##9###":          "goes down at 2s, is back at 7s",
		"##...#####...##":     "goes down at 2s and stays there",
		"##...#####...####":   "goes down at 2s, is back at 13s", // for the last time
		"##....   ":           "goes down at 2s and stays there", // nobody came
		".######":             "goes down at 0s, is back at 1s",
		"##....9999999999999": "goes down at 2s and stays there", // up, but not well
	} {
		if got := lifeOf(secondsOf(strip)).story(); got != want {
			t.Errorf("%q %s, want %s", strip, got, want)
		}
	}
}

func TestStrip(t *testing.T) {
	all := secondsOf("##96..-")
	all[6] = second{80, 8}
	if got := strip(all, 1); got != "##++..-" {
		t.Errorf("%q", got)
	}
	if got := strip(all, 3); got != "#--" {
		t.Errorf("by three: %q", got)
	}
	r := newMetastableReport(MetastableDefaults())
	r.Variants = append(r.Variants, VariantReport{seconds: make([]second, 34)})
	want := "|0s       |10s      |20s      |30s\n  the spike             vvvvv"
	if got := r.ruler(1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLever(t *testing.T) {
	for want, l := range map[string]lever{
		"seakeep admit 5%":             {admit: 0.05},
		"seakeep admit 40% --ramp 30s": {admit: 0.4, ramp: 30 * time.Second},
	} {
		if got := fmt.Sprint(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
