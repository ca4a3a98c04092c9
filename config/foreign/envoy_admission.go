package foreign

import (
	"strconv"
	"strings"
	"time"
)

// Envoy's defaults of admission control.
const (
	samplingWindow = 30 * time.Second
	mostRejected   = 80
)

// isAdmission reports whether n is the configuration of an admission control.
func isAdmission(n *node) bool {
	return strings.HasSuffix(n.scalar("@type").says(), ".AdmissionControl") ||
		n.get("sr_threshold") != nil || n.get("max_rejection_probability") != nil
}

// admits takes note of an admission control. It is a filter in front of a
// listener's routes, and becomes the throttle of every dependency.
func (e *envoy) admits(n *node) {
	if e.admission != nil {
		n.drop("another admission control comes before, and the first one becomes the throttle")
		return
	}
	e.admission = n
}

// defaultOf returns the value of a setting that can be changed while Envoy
// runs: a number, or a percentage in a section of its own.
func defaultOf(n *node, key string) *node {
	of := n.section(key)
	if v := of.section("default_value").scalar("value"); v != nil {
		return v
	}
	return of.scalar("default_value")
}

// throttle writes an admission control as a dependency's throttle.
func (e *envoy) throttle(dep *block) {
	n := e.admission
	if n == nil {
		return
	}
	limit := defaultOf(n, "max_rejection_probability")
	most, given := parseNumber(limit.says())
	switch on, known := truth(defaultOf(n, "enabled").says()); {
	case known && !on:
		n.drop("it is switched off in enabled")
		return
	case given && most < leastPercent:
		n.drop("with this max_rejection_probability it refuses nothing")
		return
	}
	defaultOf(n, "enabled").note(Mapped, target{}, "it is on")
	b := dep.sub("throttle")
	window := b.sampling(n.scalar("sampling_window"))
	if given {
		b.put("cap", showPercent(boundPercent(most, leastPercent, 99).value),
			boundPercent(most, leastPercent, 99).origin(limit, "Envoy goes by the share of "+
				"failures among what it sends, and the throttle by k, what it refused included"))
	} else {
		limit.drop("not a percentage")
		b.fill("cap", showPercent(mostRejected), "Envoy's default, max_rejection_probability")
	}
	b.least(defaultOf(n, "rps_threshold"), window)
	for _, key := range []string{"sr_threshold", "aggression"} {
		n.section(key).drop("the throttle refuses nothing while one in k requests is accepted; " +
			"k is 2, and no k does the same")
	}
	n.section("success_criteria").drop("429, 503, timeouts and what cannot get through count as " +
		"not accepted, and other errors of the dependency as accepted")
}

// sampling writes the window.
func (b *block) sampling(n *node) time.Duration {
	d, ok := parseProtoTime(n.says())
	if !ok || d == 0 {
		n.drop("not a time above 0 such as 30s")
		b.fill("window", showTime(samplingWindow), "Envoy's default, sampling_window")
		return samplingWindow
	}
	t := boundTime(d, 10*time.Millisecond, time.Hour)
	b.put("window", showTime(t.value), t.origin(n))
	return t.value
}

// least writes how many requests there must be.
func (b *block) least(n *node, window time.Duration) {
	rate, ok := parseNumber(n.says())
	switch {
	case n == nil:
	case !ok:
		n.drop("not a number")
	case rate == 0:
		n.drop("0 is to refuse from the first failure on; the throttle waits for ten requests")
	default:
		m := boundCount(int64(min(rate*window.Seconds(), 2*mostCalls)), 1, mostCalls)
		b.put("minimum", strconv.FormatInt(m.value, 10),
			m.origin(n, "a rate, and here a number of requests in the window"))
	}
}
