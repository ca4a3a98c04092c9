package presets

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed files/*.yaml
var files embed.FS

// Preset is a kind of policy file.
type Preset struct {
	Name  string
	Title string // what it is for, in a line
	// Many says that the file has dependencies of different latencies, so that
	// only the rate can be given.
	Many bool

	figures Figures       // an example
	request time.Duration // the limit of an attempt, where latency does not ask for more
	keeps   bool          // request is none too long, whatever was measured
	why     string        // of request
	connect time.Duration // the limit for connecting
}

// Figures are what was measured of the dependency, as its caller sees it. Zero:
// unknown.
type Figures struct {
	Rate           float64 // calls a second
	P50, P99, P999 time.Duration
}

// Options fill in a preset.
type Options struct {
	Service  string   // what the policy is of; empty: as the preset is called
	Endpoint string   // where the dependency is; empty: an address of this machine
	Figures  *Figures // nil: the preset's example
}

var all = []Preset{
	{Name: "cache", Title: "a distributed cache: 20 ms, never asked twice, a timeout is a miss",
		figures: Figures{2000, 500 * time.Microsecond, 3 * time.Millisecond, 9 * time.Millisecond},
		request: 20 * time.Millisecond, connect: 10 * time.Millisecond,
		why: "a lookup that takes longer is a miss: the database would have answered"},
	{Name: "rate-limiter", Title: "counters of a rate limiter: 5 ms, a breaker for each shard, a local limit",
		figures: Figures{2000, 400 * time.Microsecond, 2 * time.Millisecond, 3 * time.Millisecond},
		request: 5 * time.Millisecond, connect: 3 * time.Millisecond,
		why: "every request waits for this"},
	{Name: "payments", Title: "two payment providers, a breaker each, no charge without its key made twice",
		figures: Figures{20, 300 * time.Millisecond, 800 * time.Millisecond, 2 * time.Second},
		request: 3 * time.Second, connect: 500 * time.Millisecond,
		why: "slow on good days; a charge cut off is a charge in doubt"},
	{Name: "notification", Title: "messages from a queue by two providers: retries with jitter, failover at 20 %",
		figures: Figures{50, 80 * time.Millisecond, 400 * time.Millisecond, 1200 * time.Millisecond},
		request: 2 * time.Second, connect: 500 * time.Millisecond,
		why: "nobody waits, so there is time for the p99.9 and more"},
	{Name: "feed-ranker", Title: "the ranker of a feed: 100 ms, then an older ranking, then the order of time",
		figures: Figures{400, 25 * time.Millisecond, 60 * time.Millisecond, 80 * time.Millisecond},
		request: 100 * time.Millisecond, connect: 50 * time.Millisecond,
		why: "what of the page's time is left for the order of it"},
	{Name: "proximity", Title: "what is known of places nearby: 30 ms, then the summary last seen",
		figures: Figures{600, 6 * time.Millisecond, 15 * time.Millisecond, 22 * time.Millisecond},
		request: 30 * time.Millisecond, connect: 15 * time.Millisecond,
		why: "the summary is here at once, so there is little reason to wait"},
	{Name: "ticketing", Title: "a shop in a rush: a written order of what is left out first",
		figures: Figures{200, 10 * time.Millisecond, 40 * time.Millisecond, 100 * time.Millisecond},
		request: 150 * time.Millisecond, connect: 50 * time.Millisecond,
		why: "the p99.9 and half of it again"},
	{Name: "crawler", Title: "pages of unknown sites: 30 s, capped bodies, a breaker for each site",
		figures: Figures{10, 400 * time.Millisecond, 5 * time.Second, 15 * time.Second},
		request: 30 * time.Second, keeps: true, connect: 5 * time.Second,
		why: "a site is slower than a service of one's own; what takes longer will not come"},
	{Name: "checkout", Title: "a checkout with six dependencies: critical, optional and in a queue",
		figures: Figures{Rate: 20}, Many: true},
}

// All returns the presets.
func All() []Preset { return slices.Clone(all) }

// Find returns the preset of that name.
func Find(name string) (Preset, bool) {
	i := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

// Names lists the presets.
func Names() string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// Example is what the preset takes a dependency to do of which nobody has said
// anything.
func (p *Preset) Example() Figures { return p.figures }

// Write returns the text of the policy file.
func (p *Preset) Write(o Options) ([]byte, error) {
	name := p.Name + ".yaml"
	t, err := template.New(name).Delims("[[", "]]").ParseFS(files, "files/"+name)
	if err != nil {
		return nil, fmt.Errorf("preset %s: %w", p.Name, err)
	}
	v := values{preset: p, Figures: p.figures, example: o.Figures == nil, endpoint: o.Endpoint}
	if v.Service = o.Service; v.Service == "" {
		v.Service = p.Name
	}
	if o.Figures != nil {
		v.Figures = *o.Figures
	}
	var b bytes.Buffer
	if err := t.Execute(&b, &v); err != nil {
		return nil, fmt.Errorf("preset %s: %w", p.Name, err)
	}
	return b.Bytes(), nil
}
