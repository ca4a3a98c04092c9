package prove

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
)

// world is what makes the findings of a rule bite.
type world struct {
	about  string // what happens
	figure string // the key of the figure that tells
	name   string // what that is called
	less   bool   // less of it is better
	build  func(*stage) string
}

const (
	others = "endpoints.BESIDE.success"
	served = "endpoints.DEP.success"
	sent   = "services.DEP.rate"
)

// worlds are by rule. It is filled below, because building a scenario looks its
// own world up.
var worlds map[string]world

func init() {
	worlds = map[string]world{
		"timeout-missing": {"The dependency accepts connections and does not answer.", others,
			"users of another page served in time", false, silent},
		"timeout-too-long": {"The dependency accepts connections and does not answer.", others,
			"users of another page served in time", false, silent},
		"breaker-missing": {"The dependency accepts connections and does not answer.", others,
			"users of another page served in time", false, silent},
		"breaker-open-time": {"The dependency accepts connections and does not answer.",
			"dependencies.US.DEP.attempts", "requests sent to DEP a second", true, silent},
		longOpen: {"The dependency is down for twenty seconds of ten minutes.",
			"dependencies.US.DEP.open", "share of the time in which the breaker is not closed", true, outage},
		"timeout-under-p999": {"Nothing: it is a usual day.", "dependencies.US.DEP.timeouts",
			"calls cut off a second", true, usual},
		"bulkhead-too-small": {"Nothing: it is a usual day.", "dependencies.US.DEP.rejected",
			"calls that find no slot", true, usual},
		"breaker-near-normal": {"Nothing: as many calls fail as on a usual day.",
			"dependencies.users.DEP.rejected", "calls that breakers refuse", true, usualErrors},
		"attempt-without-limit": {"One of two instances accepts connections and does not answer.", served,
			"users of DEP served in time", false, oneSilent},
		"per-try-over-total": {"One of two instances accepts connections and does not answer.", served,
			"users of DEP served in time", false, oneSilent},
		"retry-budget-missing": {"Four of ten requests fail, too few to open a breaker.", sent,
			"requests that DEP gets a second", true, fourInTen},
		"retry-budget-large": {"Four of ten requests fail, too few to open a breaker.", sent,
			"requests that DEP gets a second", true, fourInTen},
		"bulkhead-missing": {"The dependency takes nine tenths of what a call may take.",
			others, "users of another page served in time", false, slow},
		"bulkhead-too-large": {"The dependency takes nine tenths of what a call may take.",
			others, "users of another page served in time", false, slow},
		"fallback-missing": {"The dependency is down.", served,
			"users of DEP served in time", false, down},
		"fallback-shares-fate": {"The host of both is down.", served,
			"users of DEP served in time", false, bothDown},
		"fallback-overload": {"The first dependency is down, and the other can take twice its own load.",
			"endpoints.STAND.success", "users of STAND itself served in time", false, overloaded},
		"hedge-uncapped": {"One request in five stalls for half a second.", sent,
			"requests that DEP gets a second", true, stalling},
		"breaker-window-small": {"Three in ten requests fail, and each of many clients makes one a second.",
			"dependencies.users.DEP.rejected", "calls that breakers refuse", true, someErrors},
		"breaker-single-trial": {"Six of ten requests fail, for ten minutes.", "dependencies.US.DEP.transitions",
			"changes of the breaker in a run", true, half},
		"queue-too-long": {"Twice as much comes in as can be served.", "endpoints.page.success",
			"users served in time", false, flood},
		"queue-wait-over-deadline": {"Twice as much comes in as can be served.", "endpoints.page.success",
			"users served in time", false, flood},
		"retry-layers": {"Four of ten requests at the bottom fail.", "services.BOTTOM.rate",
			"requests at the bottom a second", true, layered},
		"timeout-out-of-order": {"The dependency at the bottom does not answer.", "services.DEP-CALLER.busy",
			"threads of the callee held (mean)", true, ordered},
	}
}

// longOpen is breaker-open-time of a breaker that is open for too long.
const longOpen = "breaker-open-time, long"

// worldOf is the world of a finding; without a build there is none.
func worldOf(f check.Finding) world {
	if f.Rule == "breaker-open-time" && f.Number.Value > f.Number.Limit {
		return worlds[longOpen]
	}
	return worlds[f.Rule]
}

func outage(s *stage) string {
	s.whole = 600
	return s.page("", s.to("for: 20s, down: true"))
}

func usual(s *stage) string { return s.page("") }

func silent(s *stage) string { return s.page("", s.to("silent: true")) }

func down(s *stage) string { return s.page("", s.to("down: true")) }

func slow(s *stage) string { return s.page("", s.to("work: %s", s.limit()*9/10)) }

func fourInTen(s *stage) string { return s.page(", status: 503", s.to("fails: 40%%")) }

// half is an outage in part that lasts for many openings of a breaker.
func half(s *stage) string {
	s.whole = 600
	return s.page(", status: 503", s.to("fails: 60%%"))
}

func oneSilent(s *stage) string {
	return s.page(", instances: 2", s.to("instances: [0], silent: true"))
}

func bothDown(s *stage) string {
	changes := []string{s.to("down: true")}
	for _, d := range s.stands() {
		changes = append(changes, fmt.Sprintf("service: %q, down: true", d.Name))
	}
	return s.page("", changes...)
}

func stalling(s *stage) string {
	stall := min(500*time.Millisecond, s.limit()*9/10)
	return s.page(", instances: 2", s.to("work: {floor: %s, stall: {share: 20%%, time: %s}}",
		max(s.dep.Measured.P50, time.Millisecond), stall))
}
