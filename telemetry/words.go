package telemetry

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/core/outlier"
	"github.com/seakeep/seakeep/core/shed"
)

// The words that labels are made of. Each list is complete and ends with
// "other", so that no text from elsewhere ever makes a series.
const other = "other"

// How many words there are of the enumerations that are counted by number.
const (
	outcomes = int(core.Ignored) + 1
	causes   = int(core.Unknown) + 1
	reasons  = 64
)

// The outcome 0 is that of what never got as far as having one.
const (
	wordRejected = "rejected"
	wordRefused  = "refused"
)

func callOutcomeWord(o int) string {
	if o == 0 {
		return wordRejected
	}
	return core.Outcome(o).String()
}

func requestOutcomeWord(o int) string {
	if o == 0 {
		return wordRefused
	}
	return core.Outcome(o).String()
}

func causeWord(c int) string  { return core.Cause(c).String() }
func reasonWord(r int) string { return core.Reason(r).String() }
func classWord(c int) string  { return core.CriticalityAt(c).String() }

var (
	attemptKinds = []string{"first", "retry", "hedge"}
	decisions    = []string{"call", "retry", "hedge"}

	breakerStates = []string{breaker.Closed.String(), breaker.Open.String(), breaker.HalfOpen.String(), other}

	fallbackKinds    = []string{"cache", "static", "dependency", "omit", "function", "none", other}
	fallbackOutcomes = []string{"answered", "failed", "full", "exercised", "exercise-failed"}

	faultKinds = wordsOf(int(fault.Bandwidth)+1, func(i int) string { return fault.Kind(i).String() })

	onOff = []string{"on", "off", other}

	endpointStates = []string{"up", "ejected", "unhealthy", "draining", "gone", other}
	outlierRules   = wordsOf(int(outlier.ByLatency)+1, func(i int) string { return outlier.Rule(i).String() })

	failoverStates = []string{failover.First.String(), failover.Second.String(),
		failover.Returning.String(), other}
	recoveryStates = wordsOf(int(shed.Returning)+1, func(i int) string { return shed.State(i).String() })

	directions = []string{"up", "down"}
	byWhom     = []string{"policy", "operator"}
	yesNo      = []string{"false", "true"}

	keyResults = []string{core.KeyMissing.String(), core.KeyInvalid.String(), core.KeyBusy.String(),
		core.KeyReused.String(), core.KeyUnknown.String(), core.KeyNotStored.String(),
		core.KeyReplayed.String(), core.KeysExhausted.String(), "key-store-failed", "body-too-large",
		"body-incomplete", other}

	hops       = []string{"call", "serve"}
	callPhases = []string{"before", "attempt", "retry", "caller"}
	doorPhases = []string{"arrival", "queue", "work"}
)

// wordsOf lists the names of an enumeration, and "other".
func wordsOf(n int, name func(int) string) (words []string) {
	for i := range n {
		words = append(words, name(i))
	}
	return append(words, other)
}

// index returns where a word is in a list that ends with "other".
func index(words []string, word string) int {
	for i, w := range words {
		if w == word {
			return i
		}
	}
	return len(words) - 1
}

func wordAt(words []string, i int) string {
	if i >= 0 && i < len(words) {
		return words[i]
	}
	return "invalid"
}
