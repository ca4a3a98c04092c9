package tail

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// The picture has a column for each span of latencies, on a scale on which each
// is as much longer than the one before.
const (
	columns  = 64
	leftmost = 5 * time.Millisecond
	decades  = 2.6 // from there to 2s
)

// picture draws how the latencies of each run are spread.
func (r *Report) picture() string {
	var b strings.Builder
	for _, name := range names() {
		if v := r.find(name); v != nil {
			if b.Len() == 0 {
				fmt.Fprintf(&b, "%-11s %s\n", "", scale())
			}
			fmt.Fprintf(&b, "%-11s %s\n", title(name), strings.TrimRight(spread(v.took), " "))
		}
	}
	if b.Len() > 0 {
		b.WriteString("of all requests in a column: # 1% or more, + 0.1%, - 0.01%, . some\n")
	}
	return b.String()
}

// columnOf returns where a latency is drawn; what is beyond an edge is drawn at
// it.
func columnOf(d time.Duration) int {
	x := math.Log10(float64(max(d, leftmost))/float64(leftmost)) / decades * columns
	return min(int(x), columns-1)
}

// scale names some latencies above their columns.
func scale() string {
	line := []byte(strings.Repeat(" ", columns))
	for _, d := range []time.Duration{leftmost, 10 * time.Millisecond, 20 * time.Millisecond,
		50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond,
		500 * time.Millisecond, time.Second} {
		copy(line[columnOf(d):], "|"+d.String())
	}
	return strings.TrimRight(string(line), " ")
}

// spread draws one run.
func spread(took []time.Duration) string {
	counts := make([]int, columns)
	for _, d := range took {
		counts[columnOf(d)]++
	}
	line := make([]byte, columns)
	for i, n := range counts {
		share := float64(n) / float64(len(took))
		level, _ := slices.BinarySearch([]float64{1e-4, 1e-3, 1e-2}, share+1e-12)
		line[i] = " .-+#"[min(n, 1)*(level+1)]
	}
	return string(line)
}
