package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

const (
	// replayDefault holds the JSON of nearly every call, and a thousand calls
	// at once hold no more than 64 MiB of it.
	replayDefault = 64 << 10
	replayMost    = 1 << 30

	maxAttempts = 8 // as package retry has it
)

func (o *object) retry(s *Settings) {
	s.Replay = replayDefault
	r, on := o.rung("retry", "{attempts: 3}")
	if !on {
		s.Replay = 0
		return
	}
	defer r.close()
	c := &retry.Config{MaxWait: 30 * time.Second}
	s.Call.Retry = c
	r.require("attempts", "how many attempts a call may make in all, such as 3")
	r.integer("attempts", &c.Attempts, within(1, maxAttempts, "3"))
	r.backoff(&c.Backoff)
	r.budget(s)
	choose(r, "idempotent", &c.Idempotent, option[retry.Word]{"by-call", retry.ByCall},
		option[retry.Word]{"always", retry.Always}, option[retry.Word]{"never", retry.Never})
	r.causes(&c.Causes)
	r.duration("max-wait", &c.MaxWait, positive("30s"))
	r.boolean("ignore-retry-after", &c.IgnoreRetryAfter)
	r.size("replay", &s.Replay, within[int64](0, replayMost, "64KiB"))
	r.mode(&s.Call, call.RungRetry)
	r.check(c.Validate(), retryFields)
}

// retryFields are the keys of the retry policy's fields.
var retryFields = map[string]string{
	"Attempts": "attempts", "Backoff.Base": "backoff.base", "Backoff.Cap": "backoff.cap",
	"Backoff.Factor": "backoff.factor", "Backoff.Jitter": "backoff.jitter",
	"MaxWait": "max-wait", "Idempotent": "idempotent", "Causes": "on",
}

func (o *object) backoff(b *retry.Backoff) {
	s := o.section("backoff", "a section such as {base: 25ms, cap: 1s}")
	defer s.close()
	b.Base, b.Factor = 25*time.Millisecond, 2
	s.duration("base", &b.Base, natural("25ms"))
	b.Cap = max(time.Second, b.Base)
	s.duration("cap", &b.Cap, positive("1s"))
	s.factor("factor", &b.Factor, within[float64](1, 100, "2"))
	choose(s, "jitter", &b.Jitter,
		option[retry.Jitter]{"full", retry.Full}, option[retry.Jitter]{"equal", retry.Equal},
		option[retry.Jitter]{"decorrelated", retry.Decorrelated},
		option[retry.Jitter]{"none", retry.None})
	if f := s.find("cap"); f != nil && b.Cap < b.Base {
		f.fail(showDuration(b.Cap)+" is less than base, "+showDuration(b.Base),
			"give at least base")
	}
	if b.Base == 0 {
		// Zero asks the policy for its default, so no wait is its shortest one.
		b.Base = 1
	}
}

// causes reads the list of causes worth a retry.
func (o *object) causes(set *retry.Causes) {
	*set = retry.DefaultCauses
	f := o.find("on")
	if f != nil {
		*set = 0
		for _, item := range f.items("causes such as [unsent, timeout]") {
			c, ok := optionOf(item, causeOptions)
			if ok && set.Has(c) {
				item.fail(quote(item.node)+" is in the list already", "remove it")
			}
			if ok {
				*set |= retry.Of(c)
			}
		}
	}
	var words []string
	for _, opt := range causeOptions {
		if set.Has(opt.value) {
			words = append(words, opt.word)
		}
	}
	o.note("on", f, strings.Join(words, ", "))
}

// causeOptions are the causes that a retry may mend. The others would repeat.
var causeOptions = causesWorth(core.Unsent, core.Reset, core.TimedOut, core.Unavailable,
	core.TooMany, core.BadGateway, core.ServerError, core.Unknown)

func causesWorth(causes ...core.Cause) (options []option[core.Cause]) {
	for _, c := range causes {
		options = append(options, option[core.Cause]{c.String(), c})
	}
	return options
}

// budget reads what limits retries over all calls. It is on whenever there are
// retries, because without one a dead dependency gets its load multiplied.
func (o *object) budget(s *Settings) {
	f := o.find("budget")
	if s.Call.Retry.Attempts == 1 { // warnIdle speaks of a budget that is written
		o.note("budget", nil, "off")
		return
	}
	if f.is(off) {
		o.note("budget", f, "off")
		return
	}
	b := o.section("budget", "a section such as {ratio: 10%, floor: 3/s}, or "+off)
	defer b.close()
	c := budget.Default()
	s.Call.Budget = &c
	tokens, concurrent := b.find("tokens"), b.find("concurrent")
	switch {
	case tokens != nil && concurrent != nil:
		concurrent.failKey("a budget counts tokens or concurrent, not both", "remove one of them")
		b.find("ratio")
		b.find("floor")
		b.find("window")
		return
	case tokens != nil:
		b.tokens(&c)
	case concurrent != nil:
		b.concurrent(&c)
	default:
		b.ratio(&c)
	}
	b.check(c.Validate(), budgetFields(c.Kind))
}

func budgetFields(k budget.Kind) map[string]string {
	share := "ratio"
	if k == budget.Concurrent {
		share = "concurrent"
	}
	return map[string]string{
		"Ratio": share, "Floor": "floor", "Window": "window", "MaxTokens": "tokens",
	}
}

// earned are the limits of what a call or a success earns.
var earned = within[float64](0, 1, "10%")

func (o *object) ratio(c *budget.Config) {
	o.share("ratio", &c.Ratio, earned)
	o.rate("floor", &c.Floor, within[float64](0, 1e6, "3/s"))
	c.Window = 10 * time.Second
	o.duration("window", &c.Window, within(10*time.Millisecond, time.Hour, "10s"))
	if c.Ratio == 0 && c.Floor*c.Window.Seconds() < 1 {
		o.refuse("floor", "with a ratio of 0% the floor never allows one retry in a window of "+
			showDuration(c.Window), "raise one of them, or set attempts to 1")
	}
	o.counted("ratio", c.Ratio)
}

// counted refuses a share that is lost in the thousandths a budget counts in.
func (o *object) counted(key string, share float64) {
	if share > 0 && share < 0.001 {
		o.refuse(key, showShare(share)+" is not 0% but below 0.1%, which is not counted",
			"give 0%, or 0.1% or more")
	}
}

func (o *object) tokens(c *budget.Config) {
	*c = budget.Config{Kind: budget.Tokens, Ratio: c.Ratio}
	o.factor("tokens", &c.MaxTokens, within[float64](1, 1000, "100"))
	o.share("ratio", &c.Ratio, within[float64](0.001, 1, "10%"))
	o.notWith("tokens", "floor", "window")
}

func (o *object) concurrent(c *budget.Config) {
	*c = budget.Config{Kind: budget.Concurrent}
	o.share("concurrent", &c.Ratio, earned)
	floor := 3 // as Envoy has it
	o.integer("floor", &floor, within[int](0, 1e6, "3"))
	if c.Floor = float64(floor); c.Ratio == 0 && floor == 0 {
		o.refuse("floor", "with a share of 0% and no floor no retry is ever made",
			"raise one of them, or set attempts to 1")
	}
	o.counted("concurrent", c.Ratio)
	o.notWith("concurrent", "ratio", "window")
}

// notWith refuses keys that have no meaning beside another.
func (o *object) notWith(chosen string, keys ...string) {
	for _, key := range keys {
		if f := o.find(key); f != nil && !f.inherited {
			f.failKey(fmt.Sprintf("%s means nothing beside %s", key, chosen), "remove one of them")
		}
	}
}
