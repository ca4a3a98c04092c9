package tail

import (
	"fmt"
	"slices"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// What is promised.
const (
	tailPart  = 0.25 // of the p99.9 without any care: what is left of it with both
	extraLoad = 0.05 // attempts beyond first ones, as a share of those
)

// judge says of each promise whether it held. A promise about a run that did
// not take place, or not to its end, is left out.
func (r *Report) judge() {
	none, both := r.whole("none"), r.whole("both")
	if none != nil && both != nil {
		r.promise("both brings p99.9 to a quarter or less", both.P999 <= tailPart*none.P999,
			fmt.Sprintf("it is %.0fms; it was %.0fms", both.P999, none.P999), none, both)
	}
	if both != nil {
		r.promise("both costs at most 5% more calls", both.ExtraLoad <= extraLoad,
			fmt.Sprintf("it costs %.2f%%", 100*both.ExtraLoad), both)
	}
	if v := r.whole(allSlow); v != nil {
		r.promise(fmt.Sprintf("when all are slow, the extra load stays within the budget of %g%%", 100*r.Budget),
			v.ExtraLoad <= r.Budget, fmt.Sprintf("it is %.2f%%", 100*v.ExtraLoad), v)
	}
	for _, name := range []string{"outlier", "both"} {
		if v := r.whole(name); v != nil {
			r.promise(name+" takes the slow replica out, and no other", v.onlySlow(),
				"out were: "+v.outText(), v)
		}
	}
	r.answered()
}

// promise adds a promise. why is what speaks against it.
func (r *Report) promise(text string, held bool, why string, runs ...*Variant) {
	var against []string
	if !held {
		late := 0.0
		for _, v := range runs {
			late = max(late, v.LateMS)
		}
		against = []string{why + live.Busy(late)}
	}
	r.Holds = append(r.Holds, live.Judged(text, against))
}

// answered promises that every request of every run has got an answer.
func (r *Report) answered() {
	var against []string
	for _, name := range names() {
		if v := r.whole(name); v != nil && v.Failed > 0 {
			against = append(against, fmt.Sprintf("%s: %d of %d were not%s", name, v.Failed, v.Requests,
				live.Busy(v.LateMS)))
		}
	}
	if r.whole("none") != nil {
		r.Holds = append(r.Holds, live.Judged("every request is answered", against))
	}
}

// onlySlow reports whether the slow replica was out, and no other one.
func (v *Variant) onlySlow() bool {
	other := func(e Ejection) bool { return e.Replica != slow }
	return len(v.Ejected) > 0 && !slices.ContainsFunc(v.Ejected, other)
}
