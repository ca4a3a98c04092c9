package config

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// book is a page of keys, and how to try what it says.
type book struct {
	page  string
	begin [][2]string // what a file has in any case
	// needed is what must stand beside a key for it to make sense. Loose is what
	// lets a key go to its bounds, which another key would narrow. An empty value
	// takes a key away.
	needed, loose map[string][][2]string
	// chooses are required keys whose absence means another form.
	chooses []string
	parse   func(text string) ([]Effective, error)
}

// row is one key as a page has it.
type row struct {
	*book
	section, key          string // dependencies.NAME.timeout, request
	value, def, zero, try string
	table                 int
}

func (r row) path() string { return strings.TrimPrefix(r.section+"."+r.key, ".") }

var underForm = regexp.MustCompile("^(?:Under `([^`]+)`|At the top)")

// rows returns the rows of the tables of keys, in order.
func (b *book) rows(t *testing.T) (rows []row) {
	t.Helper()
	section, inside, table := "", false, 0
	for line := range strings.Lines(string(source(t, b.page))) {
		line = strings.TrimSpace(line)
		switch m := underForm.FindStringSubmatch(line); {
		case m != nil:
			section = m[1]
		case strings.HasPrefix(line, "| key | value | default | zero | example |"):
			inside = true
			table++
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|---"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if len(cells) != 6 {
				t.Fatalf("%s: a row of %d cells: %s", b.page, len(cells), line)
			}
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, row{book: b, section: section, key: strings.Trim(cells[0], "`"),
				value: cells[1], def: cells[2], zero: cells[3], try: strings.Trim(cells[4], "`"),
				table: table})
		}
	}
	return rows
}

// placeholder is a name that the file's author chooses.
var placeholder = regexp.MustCompile(`\b[A-Z]{2,}\b`)

// named gives the placeholders of a path names: NAME is called a, and the
// others like themselves.
func named(path string) string {
	return placeholder.ReplaceAllStringFunc(path, func(word string) string {
		if word == "NAME" {
			return "a"
		}
		return strings.ToLower(word)
	})
}

// tree is a file under construction; its leaves are YAML.
type tree map[string]any

// set puts a value at a path. Two brackets are a list with one element.
func (t tree) set(path, value string) {
	key, rest, deeper := strings.Cut(named(path), ".")
	if !deeper {
		if t[key] = value; value == "" {
			delete(t, key)
		}
		return
	}
	below, ok := t[key].(tree)
	if !ok {
		below = tree{}
		t[key] = below
	}
	below.set(rest, value)
}

// open makes a section, empty if nothing is put there.
func (t tree) open(path string) {
	t.set(path+".x", "x")
	for at := t; ; {
		key, rest, deeper := strings.Cut(named(path), ".")
		at = at[key].(tree)
		if path = rest; !deeper {
			delete(at, "x")
			return
		}
	}
}

func (t tree) String() string {
	var parts []string
	for key, value := range t {
		text, ok := value.(string)
		if !ok {
			text = value.(tree).String()
		}
		if name, list := strings.CutSuffix(key, "[]"); list {
			key, text = name, "["+text+"]"
		}
		parts = append(parts, key+": "+text)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

const (
	dep    = "dependencies.NAME."
	answer = dep + "fallback.order[]."
	rule   = dep + "faults.rules[]."

	promise = "slo.objectives[]."
	steps   = promise + "policy.steps[]."
)

// slots is what those that wait, share or are shed need.
var slots = [][2]string{{"serve.concurrency", "{}"}}

// promises is what a section of objectives needs.
var promises = [][2]string{{"slo.objectives", "[{name: a, objective: 99%}]"}}

// sixtyFour is as many features as there may be.
func sixtyFour() string {
	var all []string
	for i := range 64 {
		all = append(all, "f"+strconv.Itoa(i))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// policyPage is docs/policy-file.md.
var policyPage = &book{
	page:  "../docs/policy-file.md",
	begin: [][2]string{{"version", "1"}, {"service", "s"}, {"dependencies.NAME", "{}"}},
	needed: map[string][][2]string{
		dep + "listen":                    {{dep + "endpoints", "[http://a]"}},
		dep + "bulkhead.queue":            {{dep + "timeout.acquire", "1s"}},
		dep + "breaker.key":               {{dep + "breaker.per", "key"}},
		dep + "breaker.keys":              {{dep + "breaker.per", "key"}},
		answer + "dependency":             {{"dependencies.backup", "{}"}},
		dep + "failover":                  {{"dependencies.backup", "{}"}},
		answer + "cache.fresh":            {{answer + "cache.stale", "8760h"}},
		answer + "cache.stale":            {{answer + "cache.fresh", "1s"}},
		answer + "cache.entries":          {{answer + "cache.stale", "1h"}},
		answer + "cache.bytes":            {{answer + "cache.stale", "1h"}},
		dep + "operations[].match.path":   {{dep + "operations[].match.header", "{X-A: b}"}},
		dep + "operations[].match.method": {{dep + "operations[].match.header", "{X-A: b}"}},
		dep + "operations[].match.grpc":   {{dep + "operations[].match.header", "{X-A: b}"}},
		dep + "operations[].match.host":   {{dep + "operations[].match.header", "{X-A: b}"}},
		dep + "health.service":            {{dep + "health.type", "grpc"}},
		dep + "tls.cert":                  {{dep + "tls.key", "k"}},
		dep + "listen-tls":                {{dep + "listen", ":1"}, {dep + "endpoints", "[http://a]"}},
		dep + "listen-tls.client-name":    {{dep + "listen-tls.client-ca", "c"}},
		"serve.listen-tls":                {{"serve.listen", ":1"}, {"serve.upstream", "http://a"}},
		"serve.upstream-tls":              {{"serve.upstream", "https://a"}},
		"serve.connections":               {{"serve.upstream", "http://a"}},
		"serve.response":                  {{"serve.upstream", "http://a"}},
		dep + "tls.key":                   {{dep + "tls.cert", "c"}},
		"serve.listen":                    {{"serve.upstream", "http://a"}},
		"slo":                             {{"serve.listen", ""}}, // an empty serve, and not in place of one
		"slo.store":                       promises,
		"slo.flush":                       promises,
		"slo.beacon":                      promises,
		"slo.beacon-rate":                 append([][2]string{{"slo.beacon", "/beacon"}}, promises...),
		"slo.beacon-client-rate":          append([][2]string{{"slo.beacon", "/beacon"}}, promises...),
		"slo.mode":                        promises,
		promise + "policy.back":           {{steps[:len(steps)-3], "[{left: 1%}]"}},
		promise + "window.zone":           {{promise + "window.calendar", "month"}},
		steps + "degrade":                 {{"serve.degrade", sixtyFour()}},
		rule + "delay":                    {{rule + "kind", "reset"}},
		rule + "jitter":                   {{rule + "delay", "1h"}},
		rule + "shape":                    {{rule + "jitter", "1s"}},
		rule + "status":                   {{rule + "kind", "error"}},
		rule + "grpc":                     {{rule + "kind", "error"}},
		rule + "bytes":                    {{rule + "kind", "bandwidth"}},
		rule + "operation":                {{dep + "operations", "[{name: search}]"}},
		rule + "endpoint":                 {{dep + "endpoints", "[http://127.0.0.1:9101]"}},
		"serve.queue":                     slots,
		"serve.tenants":                   slots,
		"serve.shed":                      slots,
	},
	loose: map[string][][2]string{
		rule + "share":                      {{dep + "faults.share", "100%"}},
		dep + "failover.share":              {{dep + "failover.back.share", "0.01%"}},
		dep + "failover.back.share":         {{dep + "failover.share", "100%"}},
		dep + "connections.max":             {{dep + "connections.idle", "1"}},
		dep + "connections.warm":            {{dep + "connections.idle", "1000"}},
		dep + "outlier.cap":                 {{dep + "outlier.base", "10ms"}},
		dep + "outlier.base":                {{dep + "outlier.cap", "24h"}},
		dep + "retry.backoff.cap":           {{dep + "retry.backoff.base", "0s"}},
		dep + "breaker.failures":            {{dep + "breaker.slow", "{over: 1s}"}},
		dep + "breaker.open.cap":            {{dep + "breaker.open.for", "1ms"}},
		dep + "breaker.trials.pass":         {{dep + "breaker.failures", "100%"}},
		"serve.concurrency.algorithm":       {{"serve.concurrency.limit", "20"}},
		"serve.concurrency.limit":           {{"serve.concurrency.max", "1000000"}, {"serve.concurrency.min", "1"}},
		"serve.concurrency.min":             {{"serve.concurrency.max", "1000000"}},
		"serve.queue.target":                {{"serve.queue.interval", "8760h"}},
		"serve.queue.interval":              {{"serve.queue.target", "1µs"}},
		"serve.degrade.on":                  {{"serve.degrade.off", "0.001"}},
		"serve.degrade.off":                 {{"serve.degrade.on", "1000"}},
		"serve.idempotency.run-again-after": {{"serve.idempotency.ttl", "8760h"}},
	},
	chooses: []string{dep + "retry.budget.tokens", dep + "retry.budget.concurrent"},
	parse: func(text string) ([]Effective, error) {
		f, err := Parse("f", []byte(text))
		if err != nil {
			return nil, err
		}
		return f.Effective(), nil
	},
}

// parent returns the path of the section that a key is in.
func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }

// file is a file in which r's key has the value, or is left out if it is "".
// Beside it stands what the page says is required.
func (r row) file(rows []row, value string, bounds bool) string {
	f := tree{}
	for _, pair := range r.begin {
		f.set(pair[0], pair[1])
	}
	if r.section != "" {
		f.open(r.section)
	}
	for _, other := range rows {
		around := strings.HasPrefix(r.path(), other.section+".") && other.section != ""
		if other.def == "required" && around && !strings.HasPrefix(r.path(), other.path()) &&
			(other.section != r.section || other.table == r.table) {
			f.set(other.path(), other.try)
		}
	}
	for path := r.path(); path != ""; path = parent(path) {
		for _, beside := range r.needed[path] {
			f.set(beside[0], beside[1])
		}
	}
	if bounds {
		for _, beside := range r.loose[r.path()] {
			f.set(beside[0], beside[1])
		}
	}
	f.set(r.path(), value)
	return f.String() + "\n"
}
