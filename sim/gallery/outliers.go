package gallery

import (
	"math"
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/outlier"
)

// ejected returns how many of n endpoints the success rate takes out after an
// interval in which k of them answered so many of 100 requests well, and the
// others all.
func ejected(n, k, good int) int {
	c := outlier.Config{Consecutive: outlier.Consecutive{Errors: outlier.Off},
		FailureShare: outlier.FailureShare{Share: outlier.Off},
		SuccessRate:  outlier.SuccessRate{Hosts: 1}, MaxOut: outlier.MaxOut{Share: 1}}
	d := must(outlier.New(c))
	d.Use(0, uint64(1)<<n-1)
	for i := range n {
		for r := range 100 {
			end := core.Result{Outcome: core.Success}
			if i < k && r >= good {
				end = core.Result{Outcome: core.Failure, Cause: core.ServerError}
			}
			d.Report(0, i, 0, end)
		}
	}
	d.Sweep(core.Instant(10 * time.Second))
	return bits.OnesCount64(d.Ejected())
}

// outliers shows Envoy's success rate rule.
func outliers(s *sheet) {
	s.Setup = "Success rates of hosts; ejected below mean - 1.9 σ."
	mean := (50 + 4*100.0) / 5
	sigma := math.Sqrt((float64((50-mean)*(50-mean)) + float64(4*(100-mean)*(100-mean))) / 5)
	s.equals("threshold of 50 and four times 100", known{52, 0, "%"}, mean-float64(1.9*sigma))
	s.count("of these five ejected", 1, ejected(5, 1, 50))

	seen, unseen, fewest := 0.0, 1.0, 0
	for n := 2; n <= 60; n++ {
		for k := 1; k < n; k++ {
			share := float64(k) / float64(n)
			switch out := ejected(n, k, 50); {
			case out == k:
				seen = max(seen, share)
				if fewest == 0 {
					fewest = n
				}
			case out == 0:
				unseen = min(unseen, share)
			default:
				s.word("equally bad hosts are ejected together", "yes", "no")
			}
		}
	}
	if seen >= unseen {
		s.word("what is ejected depends on k/n alone", "yes", "no")
	}
	s.rounds("bad hosts above which none is ejected", known{21.7, 1, "%"}, 100*(seen+unseen)/2)
	s.count("hosts needed to eject one", 5, fewest)
	s.aside = "Seakeep also asks for five points below the mean"
	s.Note = "Of any number of hosts up to 60 any number was bad. When more than 21.7 % are bad the rule sees " +
		"none of them; that is what the rule about the share of failures is for."
}
