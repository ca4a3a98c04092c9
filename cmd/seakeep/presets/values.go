package presets

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	fewest   = 20 // calls that decide about a breaker
	least    = 5  // slots
	unknown  = 50 // slots where nothing was measured
	headroom = 2  // over the slots that rate x p99 needs

	mostSlots = 1_000_000 // as much as a file may say
)

// TooMany says how many slots rate x p99 needs, if that is more than a file can
// give; else 0.
func (f *Figures) TooMany() float64 {
	if need := f.Rate * f.p99().Seconds(); need*headroom > mostSlots {
		return need
	}
	return 0
}

// values are what a template asks for.
type values struct {
	preset *Preset
	Figures
	Service  string
	endpoint string
	example  bool
}

// Endpoints is the list of endpoints.
func (v *values) Endpoints(usual string) string {
	if v.endpoint != "" {
		usual = v.endpoint
	}
	return "[" + strconv.Quote(usual) + "]"
}

// Measured is the section of that name; without any figure, a comment.
func (v *values) Measured() string {
	var parts []string
	if v.Figures.Rate > 0 {
		parts = append(parts, "rate: "+v.Rate())
	}
	for _, q := range []struct {
		key string
		at  time.Duration
	}{{"p50", v.P50}, {"p99", v.P99}, {"p999", v.P999}} {
		if q.at > 0 {
			parts = append(parts, q.key+": "+short(q.at))
		}
	}
	switch line := "    measured: {" + strings.Join(parts, ", ") + "}"; {
	case len(parts) == 0:
		return "    # measured: {rate: ..., p50: ..., p99: ..., p999: ...}   # write down what you see"
	case v.example:
		return line + "   # an example: put in what you measure"
	default:
		return line
	}
}

// Rate is the rate as files have it.
func (v *values) Rate() string {
	return strconv.FormatFloat(v.Figures.Rate, 'f', -1, 64) + "/s"
}

// p999 is the p99.9, or what an exponential tail makes of the quantiles that
// are known, as "seakeep check" reckons; 0: none is.
func (f *Figures) p999() time.Duration {
	switch {
	case f.P999 > 0:
		return f.P999
	case f.P99 > f.P50 && f.P50 > 0:
		return f.P99 + time.Duration(float64(f.P99-f.P50)*math.Log(10)/math.Log(50))
	case f.P99 > 0:
		return f.P99 * 3 / 2
	default:
		return time.Duration(float64(f.P50) * math.Log(1000) / math.Ln2)
	}
}

func (f *Figures) p99() time.Duration {
	switch {
	case f.P99 > 0:
		return f.P99
	case f.P999 > f.P50 && f.P50 > 0:
		return f.P50 + time.Duration(float64(f.P999-f.P50)*math.Log(50)/math.Log(500))
	case f.P999 > 0:
		return f.P999 * 2 / 3
	default:
		return time.Duration(float64(f.P50) * math.Log(100) / math.Ln2)
	}
}

// request is the limit of one attempt, and whether it is the preset's own.
func (v *values) request() (limit time.Duration, usual bool) {
	need := v.p999()
	if limit = v.preset.request; need <= limit {
		return limit, need*10 >= limit
	}
	return roundUp(need + need/2), false
}

// Request is the limit of an attempt: the preset's, or a longer one that
// healthy calls need. It is a shorter one where the preset's would be more than
// ten times the p99.9, which waits for what will not come.
func (v *values) Request() string { return short(v.limit()) }

func (v *values) limit() time.Duration {
	limit, usual := v.request()
	if need := v.p999(); !usual && !v.preset.keeps && need > 0 && need*10 < limit {
		return roundUp(3 * need)
	}
	return limit
}

// Ignore is a comment that takes away what "seakeep check" finds of a limit that
// is long on purpose; empty: it finds nothing.
func (v *values) Ignore() string {
	if need := v.p999(); need == 0 || v.limit() <= 10*need {
		return ""
	}
	return "\n      # seakeep:ignore timeout-too-long: the slowest site decides, and not what all together take"
}

// RequestWhy says where Request is from.
func (v *values) RequestWhy() string {
	if v.limit() == v.preset.request {
		return v.preset.why
	}
	if v.limit() < v.preset.request {
		return "three times the p99.9: nothing that takes longer will be answered"
	}
	return "the p99.9 and half of it again; " + short(v.preset.request) + " is usual, but healthy calls need more"
}

// Connect is the limit for a connection, half of an attempt's at most.
func (v *values) Connect() string {
	return short(min(v.preset.connect, roundDown(v.limit()/2)))
}

// Total is the limit of all attempts and their waits.
func (v *values) Total() string { return short(v.total()) }

func (v *values) total() time.Duration {
	n := time.Duration(2)
	if v.preset.Name == "notification" {
		n = 3
	}
	return roundUp(n*v.limit() + (n*n-1)*v.backoff()) // waits at their longest double
}

// Deadline is by when a request must be answered that makes such a call.
func (v *values) Deadline() string { return short(max(2*time.Second, roundUp(v.total()*5/4))) }

// Door is how many requests are served at once: more than one dependency holds.
func (v *values) Door() int { return min(max(400, 2*v.Slots()), mostSlots) }

// Floor is how many retries a second there may be in any case: so many, or a
// twentieth of the calls if that is less.
func (v *values) Floor(most float64) string {
	if v.Figures.Rate > 0 {
		most = min(most, v.Figures.Rate/20)
	}
	return strconv.FormatFloat(max(math.Round(most*1000)/1000, 0.001), 'f', -1, 64) + "/s"
}

// backoff is the first wait: an eighth of the limit, so that something has
// changed meanwhile.
func (v *values) backoff() time.Duration { return max(roundUp(v.limit()/8), 25*time.Millisecond) }

// Backoff is the wait before the second attempt.
func (v *values) Backoff() string { return short(v.backoff()) }

// BackoffCap is the longest wait.
func (v *values) BackoffCap() string { return short(roundUp(10 * v.backoff())) }

// Slow is a time that counts as slow, above what healthy calls take.
func (v *values) Slow() string {
	limit := v.limit()
	return short(max(roundDown(limit*9/10), roundUp(v.p999())))
}

// Calls is how many calls decide.
func (v *values) Calls() int { return fewest }

// Window is how long it takes at least for twice as many calls.
func (v *values) Window() string {
	window := 10 * time.Second
	if v.Figures.Rate > 0 {
		need := time.Duration(2 * fewest / v.Figures.Rate * float64(time.Second))
		window = max(window, roundUp(need))
	}
	if window > 12*time.Hour {
		return "100 calls"
	}
	return short(window)
}

// Slots is the bulkhead's limit.
func (v *values) Slots() int {
	if v.Figures.Rate == 0 || v.p99() == 0 {
		return unknown
	}
	return slots(v.Figures.Rate, v.p99())
}

func slots(rate float64, p99 time.Duration) int {
	n := int(math.Ceil(headroom * rate * p99.Seconds()))
	for _, step := range []int{10, 100, 1000} {
		if n > 10*step {
			n = (n + step - 1) / step * step
		}
	}
	return min(max(n, least), mostSlots)
}

// SlotsAt is that of a dependency with this p99.
func (v *values) SlotsAt(p99 string) (int, error) {
	d, err := time.ParseDuration(p99)
	return slots(v.Figures.Rate, d), err
}

// SlotsWhy says where Slots is from.
func (v *values) SlotsWhy() string {
	if v.Figures.Rate == 0 || v.p99() == 0 {
		return "Rate or latency is unknown, so this is a guess: twice rate x p99 is right."
	}
	need := v.Figures.Rate * v.p99().Seconds()
	digits := max(3, len(strconv.Itoa(int(need))))
	return fmt.Sprintf("%s that take %s need %s slots. Twice that is room for bursts.", v.Rate(),
		short(threeDigits(v.p99())), strconv.FormatFloat(need, 'g', digits, 64))
}
