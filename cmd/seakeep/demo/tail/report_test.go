package tail

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// told is a run by hand: of a thousand requests so many are slow.
func told(slowOnes int, took time.Duration, extra float64) *outcome {
	o := &outcome{extra: extra, ejected: []Ejection{}, counted: 27 * time.Second, lateMS: 3.5, whole: true}
	for i := range 1000 - slowOnes {
		o.took = append(o.took, 10*ms+time.Duration(i)*90*time.Microsecond)
	}
	for i := range slowOnes {
		o.took = append(o.took, took+time.Duration(i)*ms)
	}
	return o
}

// toldReport is a report by hand, in which all is well.
func toldReport() *Report {
	r := newReport(Defaults())
	out := []Ejection{{slow, -2, 29, "latency"}}
	r.add("none", told(50, 600*ms, 0))
	o := told(5, 100*ms, 0)
	o.ejected = out
	r.add("outlier", o)
	r.add("hedge", told(9, 140*ms, 0.042))
	o = told(3, 80*ms, 0.0365)
	o.ejected = out
	r.add("both", o)
	r.add("two_choices", told(9, 300*ms, 0))
	r.add(allSlow, told(900, 200*ms, 0.0448))
	r.judge()
	return r
}

func TestReportAsText(t *testing.T) {
	var out strings.Builder
	write := func(r *Report) {
		out.WriteString(r.headline())
		for _, name := range names() {
			if r.find(name) != nil {
				out.WriteString(r.row(name))
			}
		}
		if err := r.WriteText(&out); err != nil {
			t.Fatal(err)
		}
	}
	write(toldReport())

	out.WriteString("\n=== nothing is as promised, on a busy machine\n\n")
	r := newReport(Defaults())
	r.add("none", told(50, 600*ms, 0))
	both := told(50, 500*ms, 0.08)
	both.ejected = []Ejection{{3, 1, 1, "errors"}, {slow, 2, 30, "latency"}}
	both.failed, both.lateMS, both.skipped = 3, 312, 2
	r.add("both", both)
	r.add(allSlow, told(10, 600*ms, 0.051))
	r.judge()
	write(r)

	out.WriteString("\n=== ended before there was anything\n\n")
	r = newReport(Defaults())
	r.Interrupted = true
	r.judge()
	write(r)
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("is wider than a terminal: %s", line)
		}
	}
	golden(t, "report.txt", out.String())
}

func TestReportAsJSON(t *testing.T) {
	var out bytes.Buffer
	r := toldReport()
	delete(r.Variants, "hedge")
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", out.String())
}

// Lists and objects are never null, so that a script can count them.
func TestEmptyReportHasAllKeys(t *testing.T) {
	var out bytes.Buffer
	if err := newReport(Defaults()).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(out.Bytes(), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"variants", "beside", "holds"} {
		if keys[key] == nil {
			t.Errorf("%s is null", key)
		}
	}
	if v, has := keys["all_slow"]; !has || v != nil || keys["hedge_budget"] != 0.05 {
		t.Errorf("%v", keys)
	}
}

// Each promise can be broken alone.
func TestPromisesCanBeBroken(t *testing.T) {
	for promise, change := range map[string]func(r *Report){
		"both brings p99.9":    func(r *Report) { r.Variants["both"].P999 = r.Variants["none"].P999/4 + 1 },
		"both costs at most":   func(r *Report) { r.Variants["both"].ExtraLoad = 0.0501 },
		"when all are slow":    func(r *Report) { r.AllSlow.ExtraLoad = 0.0501 },
		"outlier takes the sl": func(r *Report) { r.Variants["outlier"].Ejected = nil },
		"both takes the slow":  func(r *Report) { r.Variants["both"].Ejected[0].Replica = 1 },
		"every request is ans": func(r *Report) { r.Beside["two_choices"].Failed = 1 },
	} {
		r := toldReport()
		if !r.Held() {
			t.Fatalf("%+v", r.Holds)
		}
		both := r.Variants["both"]
		both.Ejected = append([]Ejection(nil), both.Ejected...)
		change(r)
		r.Holds = nil
		r.judge()
		for _, h := range r.Holds {
			if h.Held == strings.HasPrefix(h.Promise, promise) || h.Held != (h.Why == "") {
				t.Errorf("%s: %+v", promise, h)
			}
		}
	}
}
