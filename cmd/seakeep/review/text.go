package review

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

const (
	width = 100 // of a page
	label = 11  // of a row's name
)

// page is text under construction, with rows whose names stand in a column.
type page struct {
	strings.Builder
	indent string
}

// Write prints the sheet for people.
func (s *Sheet) Write(w io.Writer) error {
	p := &page{}
	fmt.Fprintf(p, "%s: %s\n", s.File, s.Service)
	if s.Door == nil {
		p.WriteString("\nserve  OFF: the service takes what comes\n")
	} else {
		p.WriteString("\nserve\n")
		p.indent = "  "
		p.rungs(s.Door.Rungs, s.Door.Off)
	}
	for i := range s.Dependencies {
		p.indent = ""
		p.subject(&s.Dependencies[i])
	}
	if s.Series != nil {
		p.WriteString("\navailability\n")
		p.indent = "  "
		for _, text := range s.Series.sentences() {
			p.row("= series", text)
		}
	}
	if len(s.Warnings) > 0 {
		p.WriteString("\nwarnings\n")
		for _, text := range s.Warnings {
			fmt.Fprintf(p, "  %s\n", text)
		}
	}
	p.WriteString("\nDefaults that seldom matter are left out; --output json has all.\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// subject writes a dependency, and below it its operations.
func (p *page) subject(s *Subject) {
	what := s.Kind
	switch {
	case s.Match != "":
		what = s.Match
	case s.Endpoints > 0:
		what += ", " + count(s.Endpoints, "endpoint")
	}
	fmt.Fprintf(p, "\n%s%s  %s\n", p.indent, s.Name, what)
	p.indent += "  "
	p.rungs(s.Rungs, s.Off)
	if len(s.As) > 0 {
		p.row("as above", strings.Join(s.As, ", "))
	}
	p.worst(s)
	p.slots(s.Slots)
	p.shards(s.Shards)
	p.second(s.Second)
	under := p.indent
	for i := range s.Operations {
		p.indent = under
		p.subject(&s.Operations[i])
	}
	p.indent = under
}

// rungs writes what is on, then what is off.
func (p *page) rungs(on []Rung, off []string) {
	for _, r := range on {
		if text := r.text(); text != "" {
			p.row(r.Name, text)
		}
	}
	if len(off) > 0 {
		p.row("OFF", strings.Join(off, ", "))
	}
}

// text is a rung's numbers, and at the end what of it is off.
func (r *Rung) text() string {
	var on, off []string
	for _, v := range r.Values {
		v.Key = step.ReplaceAllString(v.Key, "")
		switch {
		case v.Source == "default" && r.small(v):
		case v.Value == "off" || v.Value == "none" && v.Key != "backoff.jitter":
			off = append(off, v.Key)
		case v.Key == "":
			on = append(on, v.Value)
		case v.Key == "insecure-skip-verify" && v.Value == "true":
			on = append([]string{"NO CERTIFICATE IS VERIFIED"}, on...)
		default:
			on = append(on, v.Key+" "+v.Value)
		}
	}
	if i := slices.Index(on, "mode observe"); i >= 0 {
		on = append([]string{"OBSERVES ONLY"}, slices.Delete(on, i, i+1)...)
	}
	if len(off) > 0 {
		on = append(on, "no "+strings.Join(off, ", no "))
	}
	return strings.Join(on, ", ")
}

// step is how a key begins that is below one of a fallback's answers.
var step = regexp.MustCompile(`^(order)?\[\d+\]\.`)

// fine are keys that a page leaves out while they have their default: who has
// not thought of them need not read them. JSON has them.
var fine = []string{"balance.zone", "retry.idempotent", "retry.on", "retry.max-wait",
	"retry.ignore-retry-after", "retry.replay", "breaker.counts", "breaker.per",
	"breaker.trials.at-once", "breaker.trials.pass", "breaker.trials.wait", "bulkhead.holds",
	"fallback.limit", "fallback.timeout", "fallback.cache.entries", "fallback.cache.bytes",
	"connections.max", "connections.idle", "connections.idle-time", "connections.lifetime",
	"connections.jitter", "connections.warm", "connections.ping", "connections.ping-timeout",
	"protocol.", "timeout.false-timeouts", "tls.ca", "tls.cert", "tls.key", "tls.server-name",
	"response.grace",
	"upstream-tls.ca", "upstream-tls.cert", "upstream-tls.key", "upstream-tls.server-name",
	"health."} // where the door answers probes

// small reports whether a default need not be told: nothing at all, the usual
// mode, or fine print.
func (r *Rung) small(v Value) bool {
	nothing := v.Value == "0s" || v.Value == "0%" || v.Value == "false" || v.Value == "enforce" ||
		v.Value == "as the algorithm has it" || strings.HasPrefix(v.Key, "floors.")
	return nothing || slices.Contains(fine, r.Name+"."+v.Key)
}

// row writes a name and a text, whose lines hang below each other.
func (p *page) row(name, text string) {
	lead := p.indent + fmt.Sprintf("%-*s ", label, name)
	line := lead
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
		case len([]rune(line))+1+len([]rune(word)) > width:
			fmt.Fprintln(p, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len([]rune(lead)))
		default:
			line += " "
		}
		line += word
	}
	fmt.Fprintln(p, strings.TrimRight(line, " "))
}

func (p *page) worst(s *Subject) {
	if s.Worst.MS > 0 {
		p.row("= worst", s.Worst.time.String()+" a call: "+s.Worst.How)
	} else {
		p.row("= worst", "UNBOUNDED: "+s.Worst.How)
	}
	text := "1 request a call"
	if s.Load.Most > 1 {
		text = fmt.Sprintf("up to %d requests a call", s.Load.Most)
	}
	if s.Load.How != "" {
		text += "; " + s.Load.How
	}
	if s.Load.Most > 1 && s.Load.Lasting > 0 {
		text += fmt.Sprintf(": %.3g times the load while all fail", s.Load.Lasting)
	}
	p.row("= load", text)
}

func (p *page) slots(s *Slots) {
	if s == nil {
		return
	}
	var parts []string
	add := func(n float64, when string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%.3g %s", n, when))
		}
	}
	add(s.Typical, "under way at the p50")
	add(s.Slow, "if all took the p99")
	add(s.Hung, "when it hangs")
	if s.Hung == 0 {
		parts = append(parts, "without limit when it hangs")
	}
	text := strings.Join(parts, ", ")
	switch {
	case s.Given == 0:
		text += "; no bulkhead holds it"
	case s.full > 0:
		text += fmt.Sprintf("; %d slots, which a hang fills in %v", s.Given, s.full.Round(1e6))
	default:
		text += fmt.Sprintf("; %d slots", s.Given)
	}
	p.row("= slots", text)
}

func (p *page) shards(s *Shards) {
	if s == nil {
		return
	}
	var sharing []string
	for _, v := range s.Sharing {
		if v.Probability > 0 {
			sharing = append(sharing, fmt.Sprintf("%d with %.2f %%", v.Endpoints, 100*v.Probability))
		}
	}
	p.row("= shards", fmt.Sprintf("shards of %d of %d endpoints: %d; two tenants share %s", s.Size,
		s.Endpoints, s.Shards, strings.Join(sharing, ", ")))
	text := fmt.Sprintf("a tenant that takes its shard down: of the others %.2f %% fail, %.2f %% ",
		100*s.Failed, 100*s.Degraded)
	if s.Retries {
		text += "go on with the rest of theirs"
	} else {
		text += "lose the calls that go to what is down, as nothing is retried"
	}
	p.row("", text+fmt.Sprintf(", %.2f %% notice nothing", 100*s.Untouched))
}

func (p *page) second(s *Second) {
	if s == nil {
		return
	}
	writes := "writes stay"
	if s.Writes == "keyed" {
		writes = "of writes those with a key go along"
	}
	p.row("= failover", fmt.Sprintf("to %s at %s of %d calls or more in %v; all back after %v at best; %s",
		s.To, percent(s.Share), s.calls, s.window, s.back, writes))
}
