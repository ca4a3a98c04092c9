package foreign

import (
	"strings"
	"time"
)

// writeGRPCBackoff writes the wait between attempts.
func writeGRPCBackoff(b *block, policy *node) {
	first, cap := policy.scalar("initialBackoff"), policy.scalar("maxBackoff")
	base, hasBase := parseProtoTime(first.says())
	most, hasCap := parseProtoTime(cap.says())
	switch {
	case hasBase && base > 0:
		t := boundTime(base, 0, longest)
		note := ""
		if hasCap && most > 0 && most < base {
			t.value, note = most, "maxBackoff is less, so it is that"
		}
		base = t.value
		b.put("base", showTime(base), t.origin(first, note,
			"gRPC waits 80 to 120 % of it, here it is 50 to 100 %"))
	default:
		first.drop("not a time above 0, which gRPC demands")
		base = 25 * time.Millisecond
		b.fill("base", showTime(base), "gRPC demands initialBackoff; this is our default")
	}
	switch {
	case hasCap && most > 0:
		t := boundTime(most, max(base, time.Microsecond), longest)
		b.put("cap", showTime(t.value), t.origin(cap))
	default:
		cap.drop("not a time above 0, which gRPC demands")
		b.fill("cap", showTime(max(time.Second, base)),
			"gRPC demands maxBackoff; this is our default")
	}
	n := policy.scalar("backoffMultiplier")
	if factor, ok := parseNumber(n.says()); ok {
		f := bound(factor, 1, 100, showNumber)
		b.put("factor", showNumber(f.value), f.origin(n))
	} else {
		n.drop("not a number above 0, which gRPC demands")
		b.fill("factor", "2", "gRPC demands backoffMultiplier; this is our default")
	}
	b.fill("jitter", "equal", "as close as it comes to 20 % up and down")
}

// grpcCode is one status of a list, and the causes that stand for it.
type grpcCode struct {
	n      *node
	causes []string
	rough  string
}

// grpcStatus are the statuses that have a cause. A connection that fails or
// breaks is UNAVAILABLE to gRPC.
var grpcStatus = map[string]grpcCode{
	"UNAVAILABLE":        {causes: []string{"unsent", "reset", "unavailable"}},
	"RESOURCE_EXHAUSTED": {causes: []string{"too-many"}},
	"DEADLINE_EXCEEDED": {causes: []string{"timeout"},
		rough: "timeout is also a limit of ours that passed"},
	"UNKNOWN":   {causes: []string{"unknown"}, rough: "unknown is every error nobody classified"},
	"INTERNAL":  {causes: []string{"server-error"}, rough: internalToo},
	"DATA_LOSS": {causes: []string{"server-error"}, rough: internalToo},
}

const internalToo = "server-error is INTERNAL and DATA_LOSS"

// grpcNumbers are the numbers of the statuses that have a cause.
var grpcNumbers = map[string]string{"2": "UNKNOWN", "4": "DEADLINE_EXCEEDED",
	"8": "RESOURCE_EXHAUSTED", "13": "INTERNAL", "14": "UNAVAILABLE", "15": "DATA_LOSS"}

// grpcCauses returns the causes that a policy retries, and each of its
// statuses.
func grpcCauses(policy *node) (causes []string, codes []grpcCode) {
	set := map[string]bool{}
	for _, n := range policy.items("retryableStatusCodes") {
		name := strings.ToUpper(n.text)
		if byNumber, ok := grpcNumbers[name]; ok {
			name = byNumber
		}
		code := grpcStatus[name]
		code.n = n
		codes = append(codes, code)
		for _, cause := range code.causes {
			set[cause] = true
		}
	}
	return inOrder(set), codes
}

// grpcReasons say why a key of a service config is dropped, by folded key.
var grpcReasons = reasons(map[string][]string{
	"the policy file has no hedging: the next attempt starts when one has failed or has passed " +
		"timeout.request": {"hedgingPolicy"},
	"a call that finds no connection fails and may be tried again": {"waitForReady"},
	"sizes of messages are not a matter of the policy": {"maxRequestMessageBytes",
		"maxResponseMessageBytes"},
	"the balancer picks the less busy of two endpoints": {"loadBalancingConfig",
		"loadBalancingPolicy"},
	"the balancer watches how endpoints answer; there are no active checks in the policy file": {
		"healthCheckConfig"},
	"it says who uses this config, which is up to whoever uses the policy": {"clientLanguage",
		"clientHostname", "percentage"},
	"no method makes a retry": {"retryThrottling"},
})
