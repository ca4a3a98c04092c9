package config

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/fault"
)

func TestFaultsAreRead(t *testing.T) {
	f, err := Parse("f", []byte(`version: 1
service: shop
serve:
  faults: {allow: true, trust: [127.0.0.1, 10.0.0.0/8]}
dependencies:
  a: {}
  b:
    faults:
      abort: {success: 95%}
      rules:
        - {name: x, kind: latency, share: 10%}
        - {name: y, kind: error, share: 1%, grpc: 14}
`))
	if err != nil {
		t.Fatal(err)
	}
	if f.Dependency("a").Faults != nil {
		t.Error("a dependency that says nothing may be hurt")
	}
	door := f.Serve.Faults
	if !door.Allow || door.Name != "shop" || door.Share != 0.2 || door.Concurrent != 100 || len(door.Rules) != 0 {
		t.Errorf("the door: %+v", door)
	}
	for address, want := range map[string]bool{"127.0.0.1": true, "::ffff:10.1.2.3": true, "127.0.0.2": false, "::1": false} {
		if got := door.Trusts(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is trusted: %v", address, got)
		}
	}
	b := f.Dependency("b").Faults
	want := []fault.Rule{
		{Name: "x", Share: 0.1, For: 5 * time.Minute, Hurt: fault.Hurt{Kind: fault.Latency, Delay: 100 * time.Millisecond}},
		{Name: "y", Share: 0.01, For: 5 * time.Minute, Hurt: fault.Hurt{Kind: fault.Error, GRPC: 14}},
	}
	if b.Allow || len(b.Rules) != 2 || b.Rules[0] != want[0] || b.Rules[1] != want[1] ||
		b.Abort != (fault.Abort{Success: 0.95, Window: 10 * time.Second, Minimum: 20}) || b.Trusts(netip.MustParseAddr("127.0.0.1")) {
		t.Errorf("%+v", b)
	}
}

// An operator's fault has the keys and words of the file, as YAML or as JSON.
func TestFaultsByOrder(t *testing.T) {
	f, err := Parse("f", []byte("{version: 1, service: s, dependencies: {a: {endpoints: [http://h:1], operations: [{name: o}]}}}"))
	if err != nil {
		t.Fatal(err)
	}
	a := f.Dependency("a")
	for text, want := range map[string]string{
		`{"name": "x", "kind": "error", "share": "10%", "status": 500, "operation": "o", "endpoint": "http://h:1"}`: "",
		`{name: x, kind: no-answer, share: 0.1, for: 1s, marked: true}`:                                             "",
		"name: x\nkind: reset\nshare: 1%\n":                                                                         "",
		``:                                                                                                          "empty",
		`[]`:                                                                                                        "section",
		`{"kind": "latency", "share": "10%"}`:                                                                       "name",
		`{"name": "x", "kind": "latency"}`:                                                                          "share",
		`{name: x, kind: late, share: 1%}`:                                                                          "latency",
		`{name: x, kind: reset, share: 1}`:                                                                          "1% or 100%",
		`{name: x, kind: reset, share: 1%, x: 1}`:                                                                   "unknown key",
		`{name: x, kind: reset, share: 1%, operation: p}`:                                                           "not an operation",
		`{name: x, kind: reset, share: 1%, endpoint: http://h:2}`:                                                   "not one of its endpoints",
		`{name: x, kind: reset, share: 1%, for: 61m}`:                                                               "1h",
	} {
		r, err := ReadFault([]byte(text), a)
		switch {
		case want == "" && (err != nil || r.Validate() != nil || r.Name != "x"):
			t.Errorf("%s: %+v, %v", text, r, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadFault([]byte(`{name: x, kind: reset, share: 1%, operation: o}`), nil); err == nil {
		t.Error("the door has operations")
	}
}

// What is accepted can be used, and nothing breaks the reader.
func FuzzReadFault(f *testing.F) {
	for _, seed := range []string{`{"name":"x","kind":"latency","share":"10%","delay":"1s","jitter":"1ms","shape":"normal"}`,
		`{name: x, kind: error, share: 0.5, grpc: 14, path: /a/*}`, "a: &a {b: *a}", "{kind: bandwidth, bytes: 1KiB}", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadFault([]byte(text), nil)
		if err == nil && r.Validate() != nil {
			t.Errorf("%q is accepted as %+v: %v", text, r, r.Validate())
		}
	})
}
