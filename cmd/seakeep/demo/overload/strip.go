package overload

import (
	"fmt"
	"strings"
)

// stripWidth is the most columns of a strip, behind a name of 14.
const stripWidth = 66

// strip draws a character for every few seconds: how much was answered in time.
func strip(seconds []second, wide int) string {
	var b strings.Builder
	for i := 0; i < len(seconds); i += wide {
		var sum second
		for _, s := range seconds[i:min(i+wide, len(seconds))] {
			sum.offered, sum.served = sum.offered+s.offered, sum.served+s.served
		}
		b.WriteByte(sum.level())
	}
	return b.String()
}

func (s second) level() byte {
	switch share := part(s.served, s.offered); {
	case share >= well:
		return '#'
	case share >= collapsed:
		return '+'
	case share >= 0.05:
		return '-'
	}
	return '.'
}

// ruler writes the seconds above the strips, and under them when the spike is.
func (r *MetastableReport) ruler(wide int) string {
	var marks, spike strings.Builder
	for i := 0; i < len(r.longest()); i += wide {
		at := float64(i)
		if marks.Len() <= i/wide && (i/wide)%10 == 0 {
			fmt.Fprintf(&marks, "%-10s", fmt.Sprintf("|%ds", i))
		}
		if at >= r.SpikeAtS && at < r.SpikeAtS+r.SpikeForS {
			spike.WriteByte('v')
		} else {
			spike.WriteByte(' ')
		}
	}
	return strings.TrimRight(marks.String(), " ") + fmt.Sprintf("\n%-14s%s", "  the spike",
		strings.TrimRight(spike.String(), " "))
}
