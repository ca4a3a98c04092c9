package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/load"
)

// ReadLoad reads the JSON of "seakeep load". Steps that held are taken: what
// takes long past the limit says nothing of a usual day.
func ReadLoad(r io.Reader) ([]Sample, error) {
	data, err := whole(r)
	if err != nil {
		return nil, err
	}
	var report load.Report
	if err := json.Unmarshal(data, &report); err != nil || report.Tool != load.ToolName {
		return nil, fmt.Errorf("is no report of seakeep load --json")
	}
	var s Sample
	var bins []bin
	for _, step := range report.Steps {
		if !step.Holds {
			continue
		}
		if step.Due < 0 || step.Good < 0 || step.Good > step.Due || step.Seconds < 0 {
			return nil, errors.New("has a step whose numbers contradict one another")
		}
		before := 0.0
		for _, b := range step.Latencies {
			high, err := latencyOf(float64(b.UpToUS) / 1e6)
			if err != nil || b.Count < 0 || b.Count > math.MaxInt32 {
				return nil, errors.New("has a bucket without meaning")
			}
			bins = append(bins, bin{min(max(before, high*0.999), high), high, int(b.Count)})
			before = high
		}
		s.Calls += step.Due
		s.Failed += step.Due - step.Good
		s.Seconds += step.Seconds
		s.Rate = max(s.Rate, step.Offered)
	}
	if len(bins) == 0 {
		return nil, errors.New("has no step that held, so it says nothing of a usual day")
	}
	s.All = newDist(bins)
	s.Notes = append(s.Notes, "of a load test: only steps that held count, and the rate is the highest of them")
	return []Sample{s}, nil
}

// ReadVegeta reads results of vegeta: "vegeta encode --to json", or "--to csv".
func ReadVegeta(r io.Reader) ([]Sample, error) {
	var l log
	err := lines(r, func(n int, line string) error {
		c, err := vegetaLine(line)
		if err == nil {
			err = l.add("", c)
		}
		if err != nil {
			return at(n, "%w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.samples()
}

func vegetaLine(line string) (c logged, err error) {
	var status int
	var message string
	if strings.HasPrefix(strings.TrimSpace(line), "{") {
		var v struct {
			Code      int     `json:"code"`
			Timestamp string  `json:"timestamp"`
			Latency   float64 `json:"latency"`
			Error     string  `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return c, fmt.Errorf("is not a result of vegeta: %q", short(line))
		}
		status, message, c.latency = v.Code, v.Error, v.Latency/1e9
		if c.at, err = moment(v.Timestamp, 1); err != nil {
			return c, err
		}
	} else {
		f, err := csvFields(line)
		if err != nil || len(f) < 6 {
			return c, errors.New("is not a result of vegeta; write them with: vegeta encode --to json (or csv)")
		}
		if c.at, err = moment(f[0], 1e-9); err != nil {
			return c, err
		}
		code, err := number(f[1], 1)
		if err != nil {
			return c, err
		}
		if c.latency, err = number(f[2], 1e-9); err != nil {
			return c, err
		}
		status, message = int(code), f[5]
	}
	c.outcome = ofStatus(status)
	if strings.Contains(message, "deadline exceeded") || strings.Contains(message, "Timeout exceeded") {
		c.outcome = cutOff
	}
	c.latency, err = latencyOf(c.latency)
	return c, err
}

// ReadK6 reads results of k6: the lines of "--out json", or a summary
// ("--summary-export", or handleSummary's data).
func ReadK6(r io.Reader) ([]Sample, error) {
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), r)
	first, _, _ := bytes.Cut(head[:n], []byte("\n"))
	if bytes.Contains(first, []byte(`"type"`)) && bytes.Contains(first, []byte(`"metric"`)) {
		return readK6Lines(all)
	}
	return readK6Summary(all)
}

func readK6Lines(r io.Reader) ([]Sample, error) {
	var l log
	err := lines(r, func(n int, line string) error {
		var p struct {
			Type, Metric string
			Data         struct {
				Time  string
				Value float64
				Tags  map[string]string
			}
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return at(n, "is not a point of k6: %q", short(line))
		}
		if p.Type != "Point" || p.Metric != "http_req_duration" {
			return nil
		}
		c := logged{at: math.NaN()}
		var err error
		if c.at, err = moment(p.Data.Time, 1); err != nil {
			return at(n, "%w", err)
		}
		if c.latency, err = latencyOf(p.Data.Value / 1000); err != nil {
			return at(n, "%w", err)
		}
		if c.outcome, err = outcomeOf(p.Data.Tags["status"]); err != nil {
			return at(n, "%w", err)
		}
		if p.Data.Tags["error_code"] == "1050" { // request timeout
			c.outcome = cutOff
		}
		if err := l.add(p.Data.Tags["dependency"], c); err != nil {
			return at(n, "%w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.samples()
}

// readK6Summary makes bins of the quantiles that a summary has. It knows nothing
// of what is between them, and the bounds of what is read off it say so.
func readK6Summary(r io.Reader) ([]Sample, error) {
	data, err := whole(r)
	if err != nil {
		return nil, err
	}
	var v struct {
		Metrics map[string]map[string]json.RawMessage `json:"metrics"`
	}
	if err := json.Unmarshal(data, &v); err != nil || v.Metrics["http_req_duration"] == nil {
		return nil, errors.New("is neither lines of k6 --out json nor a summary with http_req_duration")
	}
	took, count := k6Values(v.Metrics["http_req_duration"]), k6Values(v.Metrics["http_reqs"])
	n := count["count"]
	if !(n >= 1 && n <= 1e12) {
		return nil, errors.New("has no count of http_reqs, so that nobody can tell how sure its quantiles are")
	}
	type point struct{ share, seconds float64 }
	points := []point{{0, took["min"] / 1000}, {1, took["max"] / 1000}, {0.5, took["med"] / 1000}}
	for name, ms := range took {
		var q float64
		if _, err := fmt.Sscanf(name, "p(%g)", &q); err == nil && q > 0 && q < 100 {
			points = append(points, point{q / 100, ms / 1000})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return order(a.share, b.share) })
	var bins []bin
	done := 0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if _, err := latencyOf(b.seconds); err != nil || b.seconds < a.seconds {
			return nil, fmt.Errorf("its quantiles of http_req_duration do not rise: %g s after %g s",
				b.seconds, a.seconds)
		}
		upTo := int(math.Round(b.share * n))
		bins = append(bins, bin{a.seconds, b.seconds, upTo - done})
		done = upTo
	}
	s := Sample{All: newDist(bins), Calls: int(n), Rate: count["rate"]}
	if bad, ok := k6Values(v.Metrics["http_req_failed"])["value"]; ok && bad >= 0 && bad <= 1 {
		s.Failed = int(math.Round(bad * n))
	}
	if s.Rate > 0 {
		s.Seconds = n / s.Rate
	}
	if _, has := took["p(99.9)"]; !has {
		s.Notes = append(s.Notes,
			`the summary has no p(99.9): run k6 with --summary-trend-stats "min,med,p(95),p(99),p(99.9),max"`)
	}
	return []Sample{s}, nil
}

// k6Values takes numbers, or those under "values".
func k6Values(m map[string]json.RawMessage) map[string]float64 {
	out := map[string]float64{}
	if inner := m["values"]; inner != nil {
		var nested map[string]json.RawMessage
		if json.Unmarshal(inner, &nested) == nil {
			m = nested
		}
	}
	for name, raw := range m {
		var x float64
		if json.Unmarshal(raw, &x) == nil {
			out[name] = x
		}
	}
	if rate, ok := out["rate"]; ok {
		if _, has := out["value"]; !has {
			out["value"] = rate
		}
	}
	return out
}
