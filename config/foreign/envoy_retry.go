package foreign

import (
	"strconv"
	"strings"
	"time"
)

// writeRetry writes a route's retry policy.
func writeRetry(b *block, r *route) {
	policy := r.policy
	switch n := policy.scalar("num_retries"); {
	case n == nil:
		b.fill("attempts", "2", "Envoy's default is one retry")
	default:
		if _, ok := parseCount(n.text); !ok {
			n.drop("not a whole number")
			b.fill("attempts", "2", "Envoy's default is one retry")
			break
		}
		a := boundCount(policy.attempts(), 1, mostAttempts)
		from := a.origin(n)
		if from.note == "" {
			from.note = "and the first attempt"
		}
		b.put("attempts", strconv.FormatInt(a.value, 10), from)
	}
	writeBackOff(b.sub("backoff"), policy.section("retry_back_off"))
	writeCauses(b, policy)
	b.fill("idempotent", "always",
		"Envoy repeats requests whatever their method; by-call is safer")
	writeRetryAfter(b, policy.section("rate_limited_retry_back_off"))
	writeReplay(b, r)
	for _, p := range policy.items("retry_host_predicate") {
		if name := p.scalar("name").says(); strings.HasSuffix(name, "previous_hosts") {
			p.note(Mapped, target{},
				"a retry goes to an endpoint that was not tried, if there is one")
		}
	}
}

// writeBackOff writes the wait between attempts.
func writeBackOff(b *block, back *node) {
	const differs = "waits are up to 1, 3, 7 times this in Envoy, and up to 1, 2, 4 times here"
	base := 25 * time.Millisecond
	n := back.scalar("base_interval")
	switch d, ok := parseProtoTime(n.says()); {
	case ok && d > 0:
		base = max(d, time.Millisecond) // as Envoy does
		t := boundTime(base, 0, longest)
		base = t.value
		b.put("base", showTime(base), t.origin(n, differs))
	default:
		if n != nil {
			n.drop("not a time above 0 such as 0.025s")
		}
		b.fill("base", showTime(base), "Envoy's default; "+differs)
	}
	n = back.scalar("max_interval")
	switch d, ok := parseProtoTime(n.says()); {
	case ok && d > 0:
		t := boundTime(d, base, longest)
		b.put("cap", showTime(t.value), t.origin(n))
	default:
		if n != nil {
			n.drop("not a time above 0 such as 0.25s")
		}
		b.fill("cap", showTime(min(10*base, longest)), "Envoy's default, ten times base")
	}
	b.fill("factor", "2", "as close as a factor comes to Envoy's curve")
	b.fill("jitter", "full", "Envoy's")
}

// writeCauses writes what is worth a retry.
func writeCauses(b *block, policy *retryPolicy) {
	from := origin{n: policy.scalar("retry_on")}
	if len(policy.lost) > 0 {
		from = from.differing("no cause stands for " + policy.losses())
	}
	for _, what := range policy.rough {
		from = from.differing(what)
	}
	b.put("on", "["+strings.Join(policy.causes, ", ")+"]", from)
	for _, n := range policy.items("retriable_status_codes") {
		cause, what := causeOfStatus(n.text)
		switch {
		case !policy.codes:
			n.drop("Envoy looks at it only with retriable-status-codes in retry_on")
		case cause == "":
			n.drop("no cause stands for this status; the same request would get it again")
		default:
			(origin{n: n}).differing(what).marks(target{b, "on"})
		}
	}
}

// writeRetryAfter writes whether a server's wish for a wait is heard.
func writeRetryAfter(b *block, limited *node) {
	heard := false
	for _, h := range limited.items("reset_headers") {
		name := h.scalar("name")
		if strings.EqualFold(name.says(), "retry-after") && !heard {
			heard = true
			h.note(Approximated, target{b, "ignore-retry-after"},
				"Retry-After is heard; Envoy waits up to half as long again")
			continue
		}
		h.drop("of the headers that ask for a wait only Retry-After is read")
	}
	if !heard {
		if limited != nil {
			limited.drop("no header in it is read, so no server's wish for a wait is heard")
		}
		b.fill("ignore-retry-after", "true",
			"Envoy hears Retry-After only where rate_limited_retry_back_off says so")
		return
	}
	b.fill("ignore-retry-after", "false", "it is heard because of rate_limited_retry_back_off")
	const differs = "a longer wish is cut to this; Envoy falls back to its backoff"
	n := limited.scalar("max_interval")
	d, ok := parseProtoTime(n.says())
	if !ok || d == 0 {
		if n != nil {
			n.drop("not a time above 0 such as 300s")
		}
		b.fill("max-wait", "5m", "Envoy's default")
		return
	}
	t := boundTime(d, time.Microsecond, longest)
	b.put("max-wait", showTime(t.value), t.origin(n, differs))
}

const mostReplay = 1 << 30

// writeReplay writes how much of a body is kept for another attempt.
func writeReplay(b *block, r *route) {
	places := []*node{r.n}
	if r.host != nil {
		places = append(places, r.host.n)
	}
	keys := []string{"request_body_buffer_limit", "per_request_buffer_limit_bytes"}
	for _, at := range places {
		for _, key := range keys {
			n := at.scalar(key)
			if bytes, ok := parseCount(n.says()); ok {
				size := boundCount(bytes, 0, mostReplay)
				b.put("replay", strconv.FormatInt(size.value, 10)+"B", size.origin(n))
				return
			}
		}
	}
	b.fill("replay", "1MiB", "Envoy's default")
}
