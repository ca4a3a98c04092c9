package study

import (
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/config"
)

// inWords writes a distribution of times in a few words.
func inWords(l *config.Latency) string {
	text := ""
	switch l.Shape {
	case config.Constant:
		text = l.Floor.String()
	case config.Exponential:
		text = "mean " + l.Mean.String()
	case config.LogNormal:
		text = "median " + l.Median.String()
	case config.Uniform:
		text = fmt.Sprintf("%v to %v", l.Floor, 2*l.Mean-l.Floor)
	case config.Empirical:
		text = fmt.Sprintf("up to %v", l.Points[len(l.Points)-1].Value)
	case config.Mixture:
		text = fmt.Sprintf("a mix of %d", len(l.Parts))
	}
	if l.StallShare > 0 {
		text += fmt.Sprintf(" and stalls of %v in %s", l.Stall, Share.Text(l.StallShare))
	}
	return text
}

// held is the mean time that one attempt takes whose work is l and that is cut
// off at a limit; a limit of 0 is none. It is exact for constants, exponentials
// and uniform times, and unknown for all others.
func held(l *config.Latency, limit time.Duration) (mean time.Duration, known bool) {
	if l.StallShare > 0 {
		return 0, false
	}
	cut := limit
	if limit == 0 {
		cut = math.MaxInt64
	}
	floor := min(l.Floor, cut)
	above := float64(l.Mean - l.Floor)
	rest := float64(cut - floor)
	switch l.Shape {
	case config.Constant:
		return floor, true
	case config.Exponential:
		return floor + time.Duration(-above*math.Expm1(-rest/above)), true
	case config.Uniform:
		if width := 2 * above; rest < width {
			return floor + time.Duration(rest-float64(rest*rest)/(2*width)), true
		}
		return l.Mean, true
	}
	return 0, false
}
