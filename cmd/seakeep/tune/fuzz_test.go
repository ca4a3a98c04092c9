package tune

import (
	"bytes"
	"io"
	"math"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
)

// fuzz feeds a parser: it ends, and what it takes has a meaning.
func fuzz(f *testing.F, read func(io.Reader) ([]Sample, error), seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, s := range all {
			for _, b := range s.All.bins {
				if b.count <= 0 || b.low < 0 || b.high < b.low || math.IsNaN(b.high) {
					t.Fatalf("%+v", b)
				}
			}
			if s.All.N() > 0 {
				s.All.Quantile(0.999)
				s.All.Quantile(1)
			}
			if s.Failed > s.Calls || s.Rate < 0 || math.IsNaN(s.Rate) {
				t.Fatalf("%+v", s)
			}
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	fuzz(f, ReadCSV, "time,latency_s,outcome\n1,2,ok\n2,3ms,timeout\n", "time_ms,latency\n1,5\n", "latency_ms\n1e9\n")
}

func FuzzReadVegeta(f *testing.F) {
	fuzz(f, ReadVegeta, `{"code":200,"timestamp":"2026-01-31T12:00:00Z","latency":5}`, "1,200,5,0,0,\n")
}

func FuzzReadK6(f *testing.F) {
	fuzz(f, ReadK6, `{"type":"Point","metric":"http_req_duration","data":{"time":"2026-01-31T12:00:00Z","value":3}}`,
		`{"metrics":{"http_req_duration":{"med":1,"max":2},"http_reqs":{"count":5,"rate":1}}}`)
}

func FuzzReadLoad(f *testing.F) {
	fuzz(f, ReadLoad, `{"tool":"seakeep load","steps":[{"holds":true,"due":5,"good":5,`+
		`"latencies":[{"up_to_us":5,"count":5}]}]}`)
}

func FuzzReadHlog(f *testing.F) {
	fuzz(f, func(r io.Reader) ([]Sample, error) { return ReadHlog(r, 1e-9) },
		hlog(f, 200), "0,1,2,x\n")
}

func FuzzReadQuery(f *testing.F) {
	fuzz(f, func(r io.Reader) ([]Sample, error) {
		data, err := whole(r)
		if err != nil {
			return nil, err
		}
		found, err := readQuery(data)
		if err != nil {
			return nil, err
		}
		parts, err := ofNative(found)
		if err == nil && len(parts) == 0 {
			parts, err = ofClassic(found)
		}
		var all []Sample
		for name, g := range parts {
			all = append(all, joined(name, [2]*gathered{g, nil}, 60))
		}
		return all, err
	}, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"le":"1"},"value":[1,"5"]}]}}`,
		`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"outcome":"timeout"},
		"histogram":[1,{"buckets":[[0,"1","2","5"]]}]}]}}`)
}

func FuzzReadMetrics(f *testing.F) {
	fuzz(f, func(r io.Reader) ([]Sample, error) {
		data, err := whole(r)
		if err != nil {
			return nil, err
		}
		format := expfmt.NewFormat(expfmt.TypeTextPlain)
		if len(data) > 0 && data[0] == 'P' {
			format, data = expfmt.NewFormat(expfmt.TypeProtoDelim), data[1:]
		}
		return readMetrics(data, format, time.Unix(1000, 0))
	}, "# TYPE "+attempts.Name+" histogram\n"+attempts.Name+`_bucket{dependency="a",outcome="success",le="1"} 5`+"\n"+
		attempts.Name+`_count{dependency="a",outcome="success"} 6`+"\n", "P\x01\x02")
}
