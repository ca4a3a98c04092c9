package study

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// doors tells what doors did beside refusing: the features that they left out,
// and the way back from a collapse.
func (t *tale) doors() {
	for _, d := range t.log.doors {
		deepest, told := 0, 0
		for _, e := range d.steps {
			switch e.Kind {
			case core.DegradeChanged:
				if n, _ := strconv.Atoi(e.To); n > deepest {
					deepest = n
					t.add(time.Duration(e.At), Guarding, d.by, fmt.Sprintf("%s leaves out %s",
						d.by, t.feature(d.by, n)))
				}
			case core.RecoveryChanged:
				if told++; told <= 2*most {
					t.add(time.Duration(e.At), Guarding, d.by, d.by+recoveryInWords(e))
				}
			}
		}
	}
}

// feature is the one that goes when so many are left out.
func (t *tale) feature(service string, level int) string {
	v := t.scenario.Service(service)
	if v == nil || !drops(v.Policy) || level > len(v.Policy.Serve.Door.Degrade.Features) {
		return "a feature"
	}
	name := v.Policy.Serve.Door.Degrade.Features[level-1]
	if level > 1 {
		name += " too"
	}
	return name
}

// recoveryInWords says what a step of the way back is.
func recoveryInWords(e core.Event) string {
	share, _ := strconv.ParseFloat(strings.TrimSuffix(e.To, "%"), 64)
	switch {
	case share >= 100:
		return ": its door lets everything in again"
	case e.Took > 0:
		return fmt.Sprintf(": what its door lets in is answered in time again; it lets in more, "+
			"and everything after %v", e.Took)
	}
	return fmt.Sprintf(": what its door lets in is for nobody, though no more is asked than usual; "+
		"it lets in %s %% from here on", short(share))
}

// refusing says by which rules the doors turned away in a stretch, the most
// frequent first; empty if they did not.
func (h *host) refusing(s spell) string {
	all := h.log.door(h.cfg.Name).reasons(s.from*finer, s.to*finer)
	sum := uint64(0)
	for _, c := range all {
		sum += c.n
	}
	var words []string
	for i, c := range all {
		if i == most {
			break
		}
		words = append(words, fmt.Sprintf("%v (%s)", c.reason, percent(c.n, sum)))
	}
	if len(words) == 0 {
		return ""
	}
	return "its door, for " + list(words)
}
