package prove

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
)

const (
	runs     = 5
	mostRate = 1000 // calls a second that are run; more tell no more
	longRate = 100  // in a scenario of ten minutes

	us     = "our-service"
	beside = "another-page" // of our service, which calls nothing
)

// stage is what worlds are built of.
type stage struct {
	finding  check.Finding
	files    []*config.File
	policies map[string]string // the names that files have in the scenario
	file     *config.File      // the finding's
	dep      *config.Dependency
	without  []string // sections of the files that have no part in it

	warm, whole int // seconds until something happens, and of a run
}

func newStage(f check.Finding, files []*config.File) (*stage, error) {
	s := &stage{finding: f, files: files, policies: map[string]string{}, warm: 10, whole: 40}
	for i, file := range files {
		s.policies[file.Name()] = fmt.Sprintf("policy-%d.yaml", i)
		if file.Name() == f.File {
			s.file = file
		}
	}
	if s.file == nil {
		return nil, fmt.Errorf("%s is not among the files", f.File)
	}
	s.dep = s.file.Dependency(f.About())
	if s.dep == nil && !strings.HasPrefix(f.Path, "serve") {
		return nil, fmt.Errorf("%s is of no dependency", f.Path)
	}
	s.without = []string{"slo"}
	if s.dep != nil {
		s.without = append(s.without, "serve")
	}
	return s, nil
}

// named is a figure and what it is called.
type named struct{ key, name string }

// key puts the names of a world into a figure's key.
func (s *stage) key(key string) string {
	dep, stand := "", ""
	if s.dep != nil {
		dep = s.dep.Name
		if all := s.stands(); len(all) > 0 {
			stand = all[0].Name
		}
	}
	return strings.NewReplacer("DEP-CALLER", s.caller(), "DEP", dep, "STAND", stand, "US", us,
		"BESIDE", beside, "BOTTOM", s.bottom()).Replace(key)
}

// keys are the figures to show, the one that tells first.
func (s *stage) keys(w world) (all []named) {
	add := func(n named) {
		if !slices.ContainsFunc(all, func(have named) bool { return have.key == n.key }) {
			all = append(all, n)
		}
	}
	add(named{s.key(w.figure), s.key(w.name)})
	for _, n := range []named{
		{"endpoints.DEP.success", "users of DEP served in time"},
		{"endpoints.BESIDE.success", "users of another page served in time"},
		{"endpoints.DEP.p99", "p99 of DEP's page"},
		{"services.US.busy", "threads of ours held (mean)"},
		{"services.US.most-busy", "threads of ours held (most)"},
		{"dependencies.US.DEP.attempts", "requests sent to DEP a second"},
		{"dependencies.US.DEP.amplification", "requests for one call"},
	} {
		add(named{s.key(n.key), s.key(n.name)})
	}
	return all
}

// rate is how often the dependency is called a second.
func (s *stage) rate() float64 {
	if s.whole > 60 {
		return min(longRate, rateOf(s.dep.Measured))
	}
	return rateOf(s.dep.Measured)
}

func rateOf(m config.Measured) float64 {
	if m.Rate == 0 {
		return 100
	}
	return min(m.Rate, mostRate)
}

// p99 is the time that it takes at most, but for one call in a hundred.
func p99(m config.Measured) time.Duration {
	if t := max(m.P99, m.P50); t > 0 {
		return t
	}
	return 75 * time.Millisecond
}

// limit is what the file gives an attempt, or two seconds.
func (s *stage) limit() time.Duration {
	t := s.dep.Call.Timeout
	switch {
	case t.Request > 0:
		return t.Request
	case t.Total > 0:
		return t.Total
	}
	return 2 * time.Second
}

// work is a distribution with the times that were measured.
func work(m config.Measured) string {
	if m.P50 == 0 || m.P99 == 0 {
		return "{floor: 5ms, mean: 20ms}"
	}
	points := fmt.Sprintf("50%%: %s, 99%%: %s", m.P50, max(m.P99, m.P50+time.Microsecond))
	if m.P999 > m.P99 {
		points += fmt.Sprintf(", 99.9%%: %s, 100%%: %s", m.P999, m.P999+m.P999/10)
	} else {
		points += fmt.Sprintf(", 100%%: %s", 2*m.P99)
	}
	return "{points: {" + points + "}}"
}

// workers are what a usual day needs twice, and a few.
func (s *stage) workers() int {
	need := s.rate() * p99(s.dep.Measured).Seconds()
	return int(math.Ceil(2*need)) + max(5, int(need/2))
}

// patience is how long a user waits: a second, or longer where answers take
// longer.
func (s *stage) patience() time.Duration {
	return max(time.Second, 4*max(s.dep.Measured.P999, p99(s.dep.Measured)))
}

// page is our service with a page that calls the dependency and one that does
// not, and the services that it calls. Depend is what is said of the dependency
// besides its work.
func (s *stage) page(depend string, changes ...string) string {
	var b strings.Builder
	s.head(&b)
	fmt.Fprintf(&b, "clients:\n  users:\n    to: %s\n    rate: %g/s\n    patience: %s\n"+
		"    routes: {%q: 1, %s: 1}\n", us, 2*s.rate(), s.patience(), s.dep.Name, beside)
	fmt.Fprintf(&b, "services:\n  %s:\n    policy: %s\n    workers: %d\n    queue: {rule: fifo, length: 20}\n"+
		"    routes:\n      %q: {work: 1ms, calls: [%q]}\n      %s: {work: 1ms}\n", us,
		s.policies[s.file.Name()], s.workers(), s.dep.Name, s.dep.Name, beside)
	fmt.Fprintf(&b, "  %q: {work: %s%s}\n", s.dep.Name, work(s.dep.Measured), depend)
	for _, d := range s.stands() {
		fmt.Fprintf(&b, "  %q: {work: %s}\n", d.Name, work(d.Measured))
	}
	s.tail(&b, changes)
	return b.String()
}

// stands are the dependencies that may answer in its place.
func (s *stage) stands() (all []*config.Dependency) {
	for _, a := range s.dep.Fallback.Order {
		if d := s.file.Dependency(a.Dependency); d != nil {
			all = append(all, d)
		}
	}
	if f := s.dep.Failover; f != nil {
		if d := s.file.Dependency(f.To); d != nil && !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all
}

func (s *stage) head(b *strings.Builder) {
	fmt.Fprintf(b, "version: 1\nname: %s\nabout: %q\nfor: %ds\nwarmup: %ds\nruns: %d\n", s.finding.Rule,
		worldOf(s.finding).about, s.whole, s.warm, runs)
}

// tail writes the changes, each of which begins with the key of who changes.
func (s *stage) tail(b *strings.Builder, changes []string) {
	for i, c := range changes {
		if i == 0 {
			b.WriteString("changes:\n")
		}
		fmt.Fprintf(b, "  - {at: %ds, %s}\n", s.warm, c)
	}
}

// to is a change of the dependency.
func (s *stage) to(what string, args ...any) string {
	return fmt.Sprintf("service: %q, ", s.dep.Name) + fmt.Sprintf(what, args...)
}
