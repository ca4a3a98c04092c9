package simulate

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/seakeep/seakeep/config"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata; read them afterwards")

// golden compares what was written with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s, which -update rewrites; got:\n%s", path, got)
	}
}

// question asks for testdata/shop.yaml, after some changes.
func question(t *testing.T, sets ...string) Question {
	t.Helper()
	return questionOf(t, "shop.yaml", sets...)
}

// questionOf asks for a file of testdata, after some changes.
func questionOf(t *testing.T, file string, sets ...string) Question {
	t.Helper()
	d, err := config.OpenDraft("testdata/" + file)
	for i := 0; i+1 < len(sets) && err == nil; i += 2 {
		d, err = d.Set(sets[i], sets[i+1])
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	return Question{File: file, Scenario: s}
}

func report(t *testing.T, q Question) *Report {
	t.Helper()
	r, err := Run(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
