package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const plotWidth, plotHeight = 60, 14

// Plot draws goodput against offered load: dots are what was offered, as if all
// of it were good, stars what was good. Steps that were cut or that say nothing
// about the server are left out.
func Plot(steps []Result) string {
	var use []Result
	most := 0.0
	for _, s := range steps {
		if !s.Cut && !s.Generator && s.Offered > 0 {
			use = append(use, s)
			most = max(most, s.Offered)
		}
	}
	if len(use) == 0 {
		return "no step ran to its end\n"
	}
	slices.SortFunc(use, func(a, b Result) int { return cmp.Compare(a.Offered, b.Offered) })
	var grid [plotHeight + 1][plotWidth + 1]byte
	for y := range grid {
		for x := range grid[y] {
			grid[y][x] = ' '
		}
	}
	at := func(v float64, size int) int { return min(int(v/most*float64(size)+0.5), size) }
	for x := range plotWidth + 1 {
		grid[at(float64(x)/plotWidth*most, plotHeight)][x] = '.'
	}
	for i, s := range use {
		if i > 0 {
			b := use[i-1]
			for x := at(b.Offered, plotWidth) + 1; x < at(s.Offered, plotWidth); x++ {
				share := (float64(x)/plotWidth*most - b.Offered) / (s.Offered - b.Offered)
				grid[at(b.Goodput+share*(s.Goodput-b.Goodput), plotHeight)][x] = '-'
			}
		}
	}
	for _, s := range use {
		grid[at(s.Goodput, plotHeight)][at(s.Offered, plotWidth)] = '*'
	}
	var b strings.Builder
	b.WriteString("   good/s\n")
	for y := plotHeight; y >= 0; y-- {
		label := ""
		if y%7 == 0 {
			label = fmt.Sprintf("%.4g", most*float64(y)/plotHeight)
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%9s |%s", label, grid[y][:]), " ") + "\n")
	}
	fmt.Fprintf(&b, "%9s +%s\n%9s  0%*s   offered/s\n", "", strings.Repeat("-", plotWidth+1), "", plotWidth,
		fmt.Sprintf("%.4g", most))
	return b.String()
}
