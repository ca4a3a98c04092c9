package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/presets"
)

func TestInitWritesAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "seakeep.yaml")
	status, stdout, stderr := runCommand("", "init", "--preset", "cache", "--service", "shop",
		"--rate", "120000/m", "--p99", "3ms", "--endpoint", "http://10.0.0.7:6380", name)
	if status != exitOK || stdout != "" || !strings.Contains(stderr, "seakeep plan "+name) {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"service: shop\n", "measured: {rate: 2000/s, p99: 3ms}\n", `"http://10.0.0.7:6380"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if status, _, stderr = runCommand("", "init", "--preset", "crawler", name); status != exitUsage ||
		!strings.Contains(stderr, "is there already") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if kept, err := os.ReadFile(name); err != nil || !bytes.Equal(kept, text) {
		t.Errorf("the file that was there is another one now, %v", err)
	}
	if status, _, stderr = runCommand("", "init", "--preset", "crawler", "--force", name); status != exitOK {
		t.Errorf("status %d, %s", status, stderr)
	}
	if text, err = os.ReadFile(name); err != nil || !strings.Contains(string(text), "service: crawler\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestInitToStandardOutput(t *testing.T) {
	for _, p := range presets.All() {
		status, stdout, stderr := runCommand("", "init", "--preset", p.Name, "-")
		if status != exitOK || stderr != "" {
			t.Errorf("%s: status %d, %s", p.Name, status, stderr)
		}
		if status, stdout, stderr = runCommand(stdout, "check", "--fail-on", "info", "-"); status != exitOK {
			t.Errorf("%s: status %d\n%s%s", p.Name, status, stdout, stderr)
		}
	}
	if _, stdout, _ := runCommand("", "init", "--list"); strings.Count(stdout, "\n") != len(presets.All()) {
		t.Error(stdout)
	}
	// What the figures leave open and check finds is told.
	_, _, stderr := runCommand("", "init", "--preset", "crawler", "--rate", "10/s", "-")
	if !strings.Contains(stderr, "info: measured-missing") {
		t.Error(stderr)
	}
}

func TestInitRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                         "--preset is missing; use cache, ",
		"--preset cash":                            `--preset is "cash"; use cache, `,
		"--preset cache --service a/b":             "--service is",
		"--preset cache --rate 5":                  `"5" is not a rate`,
		"--preset cache --rate 0/s":                `"0/s" is not a rate`,
		"--preset cache --rate NaN/s":              `"NaN/s" is not a rate`,
		"--preset cache --p99 1ms --p50 2ms":       "--p99, 1ms, is less than --p50, 2ms",
		"--preset cache --p99 -1ms":                "--p99 is -1ms",
		"--preset cache --rate 1000000/s --p99 3s": "need 3000000 slots",
		"--preset checkout --p99 1ms":              "dependencies of different latencies",
		"--preset cache --endpoint a:b":            "--endpoint is",
		"a.yaml b.yaml":                            `"b.yaml" is left over`,
	} {
		status, stdout, stderr := runCommand("", append([]string{"init"}, fields(args)...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
}

// fields cuts a command line, and lets nothing be written to a file.
func fields(args string) []string {
	all := strings.Fields(args)
	if !strings.Contains(args, ".yaml") {
		all = append(all, "-")
	}
	return all
}

func TestInitAsks(t *testing.T) {
	var f initFlags
	var out strings.Builder
	answers := "nothing\n2\nmine\n\n333/s\n75\n75ms\n\n"
	if err := f.ask(bufio.NewReader(strings.NewReader(answers)), &out); err != nil {
		t.Fatal(err)
	}
	if f.preset != "rate-limiter" || f.service != "mine" || f.endpoint != "" || f.rate != "333/s" ||
		f.p99.String() != "75ms" || f.p999 != 0 {
		t.Errorf("%+v\n%s", f, out.String())
	}
	if !strings.Contains(out.String(), "give a time such as 75ms") {
		t.Error(out.String())
	}
	for _, answers := range []string{"", "x\ny\nz\ncache\n", "1\nmine\n"} {
		var f initFlags
		if err := f.ask(bufio.NewReader(strings.NewReader(answers)), &out); err == nil {
			t.Errorf("%q is taken: %+v", answers, f)
		}
	}
}
