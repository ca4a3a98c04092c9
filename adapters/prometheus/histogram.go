package prometheus

import (
	"math"
	"slices"

	client "github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/seakeep/seakeep/telemetry"
)

// histogram is a metric with classic buckets, their exemplars and, if they are
// counted, native ones beside them: client_golang has constant metrics for each
// of them, and none for all.
type histogram struct {
	desc   *client.Desc
	timing *telemetry.Timing
	labels []*dto.LabelPair
}

// Desc implements Prometheus' Metric.
func (h *histogram) Desc() *client.Desc { return h.desc }

// Write implements Prometheus' Metric.
func (h *histogram) Write(to *dto.Metric) error {
	t := h.timing
	out := &dto.Histogram{SampleCount: proto.Uint64(t.Count), SampleSum: proto.Float64(t.Sum)}
	total := uint64(0)
	for i, bound := range telemetry.Bounds() {
		total += t.Counts[i]
		out.Bucket = append(out.Bucket, &dto.Bucket{UpperBound: proto.Float64(bound),
			CumulativeCount: proto.Uint64(total)})
	}
	h.exemplars(out)
	if t.Fine != nil {
		native(out, t.Fine)
	}
	to.Histogram, to.Label = out, h.labels
	return nil
}

// exemplars gives each bucket its own. The last bucket is written only if it has
// one: the count of all says the same.
func (h *histogram) exemplars(out *dto.Histogram) {
	for _, e := range h.timing.Exemplars {
		seconds := e.Took.Seconds()
		x := &dto.Exemplar{Value: proto.Float64(seconds), Timestamp: timestamppb.New(e.At),
			Label: []*dto.LabelPair{{Name: proto.String("trace_id"), Value: proto.String(e.Trace)}}}
		at := slices.IndexFunc(out.Bucket, func(b *dto.Bucket) bool { return seconds <= b.GetUpperBound() })
		if at < 0 {
			out.Bucket = append(out.Bucket, &dto.Bucket{UpperBound: proto.Float64(math.Inf(1)),
				CumulativeCount: proto.Uint64(h.timing.Count)})
			at = len(out.Bucket) - 1
		}
		out.Bucket[at].Exemplar = x
	}
}

// zeroBelow is the end of the lowest of the finer buckets, which counts
// everything below as well.
const zeroBelow = 1.0 / (1 << 20)

// native writes the finer buckets: runs of neighbours, each count as the
// difference from the one before.
func native(out *dto.Histogram, fine map[int]uint64) {
	out.Schema = proto.Int32(telemetry.FineSchema)
	out.ZeroThreshold = proto.Float64(zeroBelow)
	out.ZeroCount = proto.Uint64(0)
	zero := int(math.Log2(zeroBelow)) << telemetry.FineSchema
	keys := make([]int, 0, len(fine))
	for key := range fine {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	next, before := 0, int64(0) // the bucket after the last one, and its count
	for _, key := range keys {
		if key <= zero {
			out.ZeroCount = proto.Uint64(fine[key])
			continue
		}
		if n := len(out.PositiveSpan); n > 0 && key == next {
			out.PositiveSpan[n-1].Length = proto.Uint32(out.PositiveSpan[n-1].GetLength() + 1)
		} else {
			out.PositiveSpan = append(out.PositiveSpan, &dto.BucketSpan{Offset: proto.Int32(int32(key - next)),
				Length: proto.Uint32(1)})
		}
		count := int64(fine[key])
		out.PositiveDelta = append(out.PositiveDelta, count-before)
		next, before = key+1, count
	}
	if len(out.PositiveSpan) == 0 { // or it would be taken for a classic one
		out.PositiveSpan = append(out.PositiveSpan, &dto.BucketSpan{Offset: proto.Int32(0), Length: proto.Uint32(0)})
	}
}
