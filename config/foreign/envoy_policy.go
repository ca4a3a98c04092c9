package foreign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// causeOrder are the causes of the policy file, as it lists them.
var causeOrder = []string{"unsent", "reset", "timeout", "unavailable", "too-many",
	"bad-gateway", "server-error", "unknown"}

// retryOn is a condition of Envoy's retry_on: the causes that stand for it, and what they
// get wrong.
type retryOn struct {
	causes []string
	rough  string
}

// retryWords are the conditions of retry_on. Those without causes are lost.
// An upstream that does not answer is a reset to Envoy, whatever the reason,
// and 5xx and gateway-error hold that as well.
var retryWords = map[string]retryOn{
	"5xx": {causes: []string{"unsent", "reset", "timeout", "unavailable", "bad-gateway",
		"server-error"}},
	"gateway-error": {causes: []string{"unsent", "reset", "timeout", "unavailable",
		"bad-gateway"}},
	"reset":                {causes: []string{"unsent", "reset", "timeout"}},
	"connect-failure":      {causes: []string{"unsent"}},
	"refused-stream":       {causes: []string{"unsent"}},
	"reset-before-request": {causes: []string{"unsent"}},
	"http3-post-connect-failure": {causes: []string{"reset"},
		rough: "http3-post-connect-failure becomes reset, over any protocol"},
	"deadline-exceeded": {causes: []string{"timeout"},
		rough: "deadline-exceeded becomes timeout, also one of ours"},
	"internal": {causes: []string{"server-error"},
		rough: "internal becomes server-error, which is other errors too"},
	"resource-exhausted": {causes: []string{"too-many"}},
	"unavailable":        {causes: []string{"unavailable"}},
}

const statusCodes = "retriable-status-codes"

// retryPolicy is a retry policy of Envoy, which routes may share.
type retryPolicy struct {
	*node
	causes []string // that it retries
	rough  []string // what is rough about them
	lost   []string // conditions without a cause
	codes  bool     // the list of status codes counts
}

// policy reads a retry policy, or returns nil if there is none.
func (e *envoy) policy(n *node) *retryPolicy {
	if n == nil {
		return nil
	}
	p := e.policies[n]
	if p == nil {
		p = &retryPolicy{node: n}
		p.read()
		e.policies[n] = p
	}
	return p
}

// scalar is the node's, for a policy that may be nil.
func (p *retryPolicy) scalar(key string) *node {
	if p == nil {
		return nil
	}
	return p.node.scalar(key)
}

// read finds what the policy retries.
func (p *retryPolicy) read() {
	set := map[string]bool{}
	for word := range strings.SplitSeq(p.scalar("retry_on").says(), ",") {
		word = strings.TrimSpace(word)
		on, known := retryWords[word]
		code, err := strconv.Atoi(word) // Istio writes codes among the words
		switch {
		case word == "":
			continue
		case word == statusCodes:
			p.codes = true
			continue
		case err == nil && code > 0:
			cause, rough := causeOfStatus(word)
			on, known = retryOn{causes: []string{cause}, rough: rough}, cause != ""
		}
		if !known {
			p.lost = append(p.lost, clean(word, 40))
			continue
		}
		for _, cause := range on.causes {
			set[cause] = true
		}
		if on.rough != "" && !slices.Contains(p.rough, on.rough) {
			p.rough = append(p.rough, on.rough)
		}
	}
	if p.codes {
		for _, n := range p.items("retriable_status_codes") {
			cause, _ := causeOfStatus(n.text)
			set[cause] = true
		}
	}
	p.causes = inOrder(set)
}

// inOrder lists a set of causes as the policy file does.
func inOrder(set map[string]bool) (causes []string) {
	for _, cause := range causeOrder {
		if set[cause] {
			causes = append(causes, cause)
		}
	}
	return causes
}

// losses names the conditions without a cause, not all if they are many.
func (p *retryPolicy) losses() string {
	const most = 6
	if len(p.lost) <= most {
		return strings.Join(p.lost, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(p.lost[:most], ", "), len(p.lost)-most)
}

// causeOfStatus returns the cause that a status is, and what else is. Without a
// cause there is no retry for it.
func causeOfStatus(text string) (cause, rough string) {
	code, ok := parseCount(text)
	switch {
	case !ok:
	case code == 503:
		return "unavailable", ""
	case code == 429:
		return "too-many", ""
	case code == 502, code == 504:
		return "bad-gateway", "502 and 504 are one cause, bad-gateway"
	case code >= 500 && code < 600:
		return "server-error", fmt.Sprintf("%d becomes server-error, which is every 5xx but "+
			"502, 503 and 504", code)
	}
	return "", ""
}

// attempts is how many attempts the policy makes at most.
func (p *retryPolicy) attempts() int64 {
	if n, ok := parseCount(p.scalar("num_retries").says()); ok {
		return n + 1
	}
	return 2 // Envoy's default is one retry
}

// retries reports whether the policy makes any retry that we can make too.
func (p *retryPolicy) retries() bool {
	return p != nil && p.attempts() >= 2 && len(p.causes) > 0
}

// quiet says why a policy makes no retries.
func (p *retryPolicy) quiet() {
	switch {
	case p == nil:
	case p.attempts() < 2:
		p.scalar("num_retries").note(Mapped, target{}, "there is no retry")
		p.drop("num_retries is 0, so there is no retry")
	case len(p.causes) == 0 && len(p.lost) > 0:
		p.scalar("retry_on").drop("no cause of the policy file stands for " + p.losses() +
			", so there is no retry")
		p.drop("there is no retry, because nothing in retry_on has a cause here")
	case len(p.causes) == 0:
		p.drop("Envoy makes no retry without a condition in retry_on")
	default:
		p.drop("the cluster's circuit breaker lets no retry through")
	}
}
