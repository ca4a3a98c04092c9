package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Prometheus is a server that has scraped Seakeep.
type Prometheus struct {
	Base   string        // such as http://127.0.0.1:9090
	Over   time.Duration // how far back
	Match  string        // further matchers, such as job="shop"
	Client *http.Client
}

// Read asks for what was counted of all dependencies, in both halves of the time.
func (p *Prometheus) Read(ctx context.Context) ([]Sample, error) {
	half := p.Over / 2
	var parts [2]map[string]*gathered
	native := false
	for i, ago := range []time.Duration{half, 0} {
		var err error
		if parts[i], native, err = p.half(ctx, half, ago); err != nil {
			return nil, err
		}
	}
	peaks, err := p.peaks(ctx, native)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, part := range parts {
		for name := range part {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has nothing of %s in the last %s", p.Base, attempts.Name, p.Over)
	}
	var all []Sample
	for _, name := range names {
		s := joined(name, [2]*gathered{parts[0][name], parts[1][name]}, p.Over.Seconds())
		s.atPeak(peaks[name])
		all = append(all, s)
	}
	return all, nil
}

// joined makes a sample of two halves.
func joined(name string, halves [2]*gathered, seconds float64) Sample {
	s := Sample{Dependency: name, Seconds: seconds}
	var bins []bin
	for i, g := range halves {
		if g == nil {
			g = &gathered{}
		}
		bins = append(bins, g.bins...)
		s.Halves[i] = newDist(slices.Clone(g.bins))
		s.Calls += g.calls
		s.Failed += g.failed
		s.Cut += g.cut
	}
	s.All = newDist(bins)
	if seconds > 0 {
		s.Rate = float64(s.Calls) / seconds
	}
	return s
}

// peaks asks for the rate of the busiest minute of each.
func (p *Prometheus) peaks(ctx context.Context, native bool) (map[string]float64, error) {
	q := fmt.Sprintf("sum by (%s) (rate(%s_count{%s}[1m]))", byDependency, attempts.Name, p.Match)
	if native {
		q = fmt.Sprintf("histogram_count(sum by (%s) (rate(%s{%s}[1m])))", byDependency, attempts.Name, p.Match)
	}
	found, err := p.query(ctx, fmt.Sprintf("max_over_time(%s[%ds:15s])", q, int(p.Over.Seconds())))
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for _, s := range found {
		if len(s.Value) != 2 {
			return nil, errors.New("a series has no value")
		}
		v, err := promNumber(s.Value[1])
		if err != nil || v < 0 || v > 1e9 {
			return nil, fmt.Errorf("a rate is %s", short(string(s.Value[1])))
		}
		out[s.Metric[byDependency]] = v
	}
	return out, nil
}

// half asks for one half: native histograms if there are any, as they are finer.
func (p *Prometheus) half(ctx context.Context, window, ago time.Duration) (
	all map[string]*gathered, fine bool, err error) {
	over := fmt.Sprintf("[%ds]", int(window.Seconds()))
	if ago > 0 {
		over += fmt.Sprintf(" offset %ds", int(ago.Seconds()))
	}
	by := strings.Join([]string{byDependency, byOutcome}, ", ")
	native, err := p.query(ctx, fmt.Sprintf("sum by (%s) (increase(%s{%s}%s))", by, attempts.Name, p.Match, over))
	if err != nil {
		return nil, false, err
	}
	if all, err = ofNative(native); err != nil || len(all) > 0 {
		return all, true, err
	}
	classic, err := p.query(ctx, fmt.Sprintf("sum by (%s, le) (increase(%s_bucket{%s}%s))", by, attempts.Name, p.Match,
		over))
	if err != nil {
		return nil, false, err
	}
	all, err = ofClassic(classic)
	return all, false, err
}

// promSeries is one result of an instant query.
type promSeries struct {
	Metric    map[string]string `json:"metric"`
	Value     []json.RawMessage `json:"value"`
	Histogram []json.RawMessage `json:"histogram"`
}

func (p *Prometheus) query(ctx context.Context, q string) ([]promSeries, error) {
	to := strings.TrimSuffix(p.Base, "/") + "/api/v1/query?query=" + url.QueryEscape(q)
	body, err := get(ctx, p.Client, to, "application/json")
	if err != nil {
		return nil, err
	}
	found, err := readQuery(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Base, err)
	}
	return found, nil
}

// readQuery reads an answer of the HTTP API.
func readQuery(body []byte) ([]promSeries, error) {
	var v struct {
		Status, Error string
		Data          struct {
			ResultType string       `json:"resultType"`
			Result     []promSeries `json:"result"`
		}
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, errors.New("does not answer as Prometheus does; give its address, such as http://127.0.0.1:9090")
	}
	if v.Status != "success" {
		return nil, fmt.Errorf("refuses the query: %s", short(v.Error))
	}
	if v.Data.ResultType != "vector" {
		return nil, fmt.Errorf("answers with a %q, not a vector", short(v.Data.ResultType))
	}
	return v.Data.Result, nil
}

func promNumber(raw json.RawMessage) (float64, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return 0, errors.New("a value is not text")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is no number", short(text))
	}
	return v, nil
}

// ofClassic makes bins of the buckets of all series.
func ofClassic(all []promSeries) (map[string]*gathered, error) {
	type key struct{ dependency, outcome string }
	ends, upTo := map[key][]float64{}, map[key]map[float64]float64{}
	var keys []key
	for _, s := range all {
		if len(s.Value) != 2 {
			return nil, errors.New("a series has no value")
		}
		n, err := promNumber(s.Value[1])
		if err != nil {
			return nil, err
		}
		end, err := strconv.ParseFloat(s.Metric["le"], 64)
		if err != nil || math.IsNaN(end) || math.IsInf(n, 0) || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("a bucket up to %q has %g calls", short(s.Metric["le"]), n)
		}
		k := key{s.Metric[byDependency], s.Metric[byOutcome]}
		if upTo[k] == nil {
			upTo[k] = map[float64]float64{}
			keys = append(keys, k)
		}
		ends[k] = append(ends[k], end)
		upTo[k][end] = n
	}
	out := map[string]*gathered{}
	for _, k := range keys {
		slices.Sort(ends[k])
		counts := make([]float64, len(ends[k]))
		for i, e := range ends[k] {
			counts[i] = upTo[k][e]
		}
		putIn(out, k.dependency, k.outcome, ofBuckets(ends[k], counts))
	}
	return out, nil
}

func putIn(all map[string]*gathered, dependency, outcome string, t timing) {
	if all[dependency] == nil {
		all[dependency] = &gathered{}
	}
	all[dependency].put(outcome, t)
}

// ofNative makes bins of native histograms, of which the answer has the buckets
// that are not empty. It returns nothing if there are none.
func ofNative(all []promSeries) (map[string]*gathered, error) {
	out := map[string]*gathered{}
	for _, s := range all {
		if len(s.Histogram) != 2 {
			continue
		}
		var h struct {
			Buckets [][]json.RawMessage `json:"buckets"`
		}
		if err := json.Unmarshal(s.Histogram[1], &h); err != nil {
			return nil, errors.New("a histogram has no buckets that can be read")
		}
		var t timing
		for _, b := range h.Buckets {
			if len(b) != 4 {
				return nil, errors.New("a bucket does not have four parts")
			}
			var v [3]float64
			for i := range v {
				var err error
				if v[i], err = promNumber(b[i+1]); err != nil {
					return nil, err
				}
			}
			if v[1] < v[0] || v[2] < 0 || v[2] > math.MaxInt32 {
				return nil, fmt.Errorf("a bucket from %g to %g has %g calls", v[0], v[1], v[2])
			}
			n := int(math.Round(v[2]))
			t.bins = append(t.bins, bin{max(v[0], 0), max(v[1], 0), n})
			t.count += n
		}
		putIn(out, s.Metric[byDependency], s.Metric[byOutcome], t)
	}
	return out, nil
}
