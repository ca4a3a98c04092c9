package tune

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Admin is the admin address of a running Seakeep.
type Admin struct {
	Base   string // such as http://127.0.0.1:9901
	Client *http.Client
}

// protobuf is the form in which native histograms are told too.
const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited," +
	"text/plain;version=0.0.4;q=0.5"

// Read takes what the program has counted since its start.
func (a *Admin) Read(ctx context.Context) ([]Sample, error) {
	to := strings.TrimSuffix(a.Base, "/") + "/metrics"
	resp, err := ask(ctx, a.Client, to, protobuf)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", to, resp.Status)
	}
	body, err := whole(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	all, err := readMetrics(body, expfmt.ResponseFormat(resp.Header), time.Now())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	return all, nil
}

// readMetrics reads a scrape that was made at a moment.
func readMetrics(body []byte, format expfmt.Format, now time.Time) ([]Sample, error) {
	if format.FormatType() == expfmt.TypeUnknown {
		format = expfmt.NewFormat(expfmt.TypeTextPlain)
	}
	if format.FormatType() == expfmt.TypeProtoDelim && !delimited(body) {
		return nil, errors.New("does not offer metrics: a message is longer than the answer")
	}
	d := expfmt.NewDecoder(bytes.NewReader(body), format)
	parts := map[string]*gathered{}
	var names []string
	started := 0.0
	for {
		var f dto.MetricFamily
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("does not offer metrics: %w", err)
		}
		switch f.GetName() {
		case "process_start_time_seconds":
			for _, m := range f.GetMetric() {
				started = m.GetGauge().GetValue() + m.GetUntyped().GetValue()
			}
		case attempts.Name:
			for _, m := range f.GetMetric() {
				dependency, outcome := label(m, byDependency), label(m, byOutcome)
				t, err := ofFamily(m.GetHistogram())
				if err != nil {
					return nil, err
				}
				if parts[dependency] == nil {
					names = append(names, dependency)
				}
				putIn(parts, dependency, outcome, t)
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("has no %s; give the admin address of a Seakeep that has made calls", attempts.Name)
	}
	seconds := float64(now.UnixNano())/1e9 - started
	if started == 0 || !(seconds > 0) {
		seconds = 0
	}
	slices.Sort(names)
	var all []Sample
	for _, name := range names {
		g := parts[name]
		s := joined(name, [2]*gathered{g, nil}, seconds)
		s.Halves = [2]*Dist{}
		s.Notes = append(s.Notes, "counted since the program started, busy hours and quiet ones together")
		all = append(all, s)
	}
	return all, nil
}

// delimited reports whether the lengths before the messages are true. The
// decoder makes room for what they say, whether it comes or not.
func delimited(body []byte) bool {
	for len(body) > 0 {
		n, size := binary.Uvarint(body)
		if size <= 0 || n > uint64(len(body)-size) {
			return false
		}
		body = body[size+int(n):]
	}
	return true
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// ofFamily makes bins of a histogram: of its native buckets if it has any.
func ofFamily(h *dto.Histogram) (t timing, err error) {
	if len(h.GetPositiveSpan()) > 0 {
		return ofSpans(h)
	}
	var ends, upTo []float64
	before := 0.0
	for _, b := range h.GetBucket() {
		n := float64(b.GetCumulativeCount())
		if n < before || n > math.MaxInt32 {
			return t, errors.New("the buckets of a histogram do not rise, or count too much")
		}
		ends, upTo, before = append(ends, b.GetUpperBound()), append(upTo, n), n
	}
	if n := float64(h.GetSampleCount()); n > before {
		if n > math.MaxInt32 {
			return t, errors.New("a histogram counts more than 2147483647 calls")
		}
		ends, upTo = append(ends, math.Inf(1)), append(upTo, n)
	}
	if !slices.IsSorted(ends) {
		return t, errors.New("the buckets of a histogram are not in order")
	}
	return ofBuckets(ends, upTo), nil
}

// ofSpans makes bins of native buckets: bucket i reaches up to 2^(i/2^schema),
// and each count is told as its difference from the one before.
func ofSpans(h *dto.Histogram) (t timing, err error) {
	schema := h.GetSchema()
	if schema < -4 || schema > 8 {
		return t, fmt.Errorf("a native histogram has the schema %d", schema)
	}
	end := func(i int) float64 { return math.Exp2(float64(i) * math.Exp2(-float64(schema))) }
	if z := h.GetZeroCount(); z > 0 {
		if z > math.MaxInt32 {
			return t, errors.New("a native histogram counts more than 2147483647 calls")
		}
		t.bins = append(t.bins, bin{0, h.GetZeroThreshold(), int(z)})
		t.count += int(z)
	}
	i, k, n := 0, 0, int64(0)
	for _, s := range h.GetPositiveSpan() {
		i += int(s.GetOffset())
		for range min(s.GetLength(), 100_000) {
			if k == len(h.GetPositiveDelta()) {
				return t, errors.New("a native histogram has fewer buckets than its spans say")
			}
			n += h.GetPositiveDelta()[k]
			if k++; n < 0 || n > math.MaxInt32 {
				return t, errors.New("a native histogram has a bucket that counts too much, or less than nothing")
			}
			t.bins = append(t.bins, bin{end(i - 1), end(i), int(n)})
			t.count += int(n)
			i++
		}
	}
	return t, nil
}
