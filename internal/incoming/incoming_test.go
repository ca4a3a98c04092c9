package incoming

import (
	"testing"

	"github.com/seakeep/seakeep/config"
)

func TestHealthPathsLeadNowhereElse(t *testing.T) {
	paths := []string{"/healthz", "/checks/*"}
	for path, want := range map[string]bool{"/healthz": true, "/healthz/": false, "/checks/db": true,
		"/checks/": true, "/checks": false, "/checks/../orders": false, "/checks/./x": false,
		"/checks//../x": false, `/checks/\..\orders`: false, "/checks/..": false, "/healthz/../orders": false,
		"/Healthz": false} {
		if got := Exempt(paths, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestTrustDoesNotDependOnTheZone(t *testing.T) {
	file, err := config.Parse("f", []byte("version: 1\nservice: s\nserve: "+
		"{criticality: {trust: ['fe80::/10', '::ffff:10.0.0.0/104', 192.0.2.7]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := &file.Serve.Criticality
	for remote, want := range map[string]bool{"[fe80::1%eth0]:80": true, "[fe80::1]:80": true,
		"10.1.2.3:80": true, "[::ffff:10.1.2.3]:80": true, "11.1.2.3:80": false, "192.0.2.7:1": true,
		"[::ffff:192.0.2.7]:1": true, "192.0.2.8:1": false, "@": false, "": false, "192.0.2.7": true} {
		if got := (Request{Remote: remote}).trusted(c); got != want {
			t.Errorf("%q: %v, want %v", remote, got, want)
		}
	}
}

func TestRepetitionsAreKnownByAnyMark(t *testing.T) {
	for name, values := range map[string]map[string]bool{
		"X-Seakeep-Attempt":          {"1": false, "2": true, "x": false},
		"X-Envoy-Attempt-Count":      {"1": false, "3": true},
		"Grpc-Previous-Rpc-Attempts": {"0": false, "1": true, "-1": false, "x": false},
	} {
		for value, want := range values {
			r := Request{Fields: func(field string) []string {
				if field == name {
					return []string{value}
				}
				return nil
			}}
			if got := r.Retried(); got != want {
				t.Errorf("%s: %s is %v", name, value, got)
			}
		}
	}
}
