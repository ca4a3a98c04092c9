//go:build unix

package proxy

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var soakTime = flag.Duration("soak", time.Minute, "how long the soak test keeps the load up")

// soakStreams is how many requests h2load has under way in each protocol.
const soakStreams = 24

// TestSoak: h2load asks in HTTP/1.1 and in HTTP/2 at once, all the time, while
// real replicas are killed, restarted, paused, slowed and made ill. None of its
// requests fails but those for which the file leaves no time, as TestChaos has
// it; and neither memory nor goroutines grow. Ten minutes of it: make soak
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	program, err := exec.LookPath("h2load")
	if err != nil {
		t.Skip("needs h2load, which is in Debian's nghttp2-client")
	}
	before := runtime.NumGoroutine()
	c := newChaos(t, *chaosSeed)
	u := start(t, chaosPolicy(c.endpoints()))
	loads := []*h2load{
		newH2load(t, program, u, "HTTP/1.1", "--h1", "-c", strconv.Itoa(soakStreams)),
		newH2load(t, program, u, "HTTP/2", "-c", "3", "-m", strconv.Itoa(soakStreams/3)),
	}
	time.Sleep(time.Second) // it has connected, and heaps have grown
	c.begin()
	var sizes []size
	for end := time.Now().Add(*soakTime - 3*time.Second); time.Now().Before(end); {
		c.strike()
		time.Sleep(c.between(100, 400))
		sizes = append(sizes, sizeNow())
	}
	c.mend()
	for _, l := range loads {
		l.wait()
	}
	answered := 0
	for _, l := range loads {
		all, lost := l.read()
		answered += all - len(lost)
		c.judge(&barrage{lost: lost})
		t.Logf("%s: %d requests, lost %d", l.name, all, len(lost))
		for _, line := range u.log.with("answered here", len(lost)) {
			t.Log(line)
		}
		if all < int(soakTime.Seconds())*100 {
			t.Errorf("%s: no more than %d requests were made\n%s", l.name, all, &l.out)
		}
	}
	steady(t, sizes)
	t.Logf("seed %d, %v: %d answered, %v", *chaosSeed, *soakTime, answered, c.did)
	u.stop()
	if err := u.wait(); err != nil {
		t.Errorf("Run returns %v", err)
	}
	for _, r := range c.replicas {
		r.kill()
	}
	until(t, "its goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// size is how large the program is at a moment.
type size struct {
	heap       uint64 // live after the latest collection
	goroutines int
}

func sizeNow() size {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	// Half of what starts the next collection is what the latest one has found,
	// with GOGC at 100.
	return size{m.NextGC / 2, runtime.NumGoroutine()}
}

// steady compares the last quarter of the time with the second. The first is
// for heaps to grow to what they are in use.
func steady(t *testing.T, sizes []size) {
	t.Helper()
	quarter := len(sizes) / 4
	early, late := middle(sizes[quarter:2*quarter]), middle(sizes[3*quarter:])
	t.Logf("in the middle: %+v early, %+v late", early, late)
	const slack = 4 << 20 // a collection finds what happens to be under way
	if late.heap > early.heap*5/4+slack {
		t.Errorf("the heap grew from %d to %d bytes", early.heap, late.heap)
	}
	// Each request may have some under way, for its copies.
	if late.goroutines > early.goroutines+4*soakStreams {
		t.Errorf("goroutines grew from %d to %d", early.goroutines, late.goroutines)
	}
}

func middle(of []size) (m size) {
	heaps, goroutines := make([]int, len(of)), make([]int, len(of))
	for i, s := range of {
		heaps[i], goroutines[i] = int(s.heap), s.goroutines
	}
	slices.Sort(heaps)
	slices.Sort(goroutines)
	return size{uint64(heaps[len(of)/2]), goroutines[len(of)/2]}
}

// h2load is a run of the program of that name, which writes a line for each
// request.
type h2load struct {
	t    *testing.T
	name string
	log  string
	cmd  *exec.Cmd
	out  bytes.Buffer
	once sync.Once
}

func newH2load(t *testing.T, program string, u *under, name string, args ...string) *h2load {
	t.Helper()
	l := &h2load{t: t, name: name, log: filepath.Join(t.TempDir(), "requests")}
	args = append(args, "-D", strconv.Itoa(int(soakTime.Seconds())), "-t", "1",
		"--log-file="+l.log, u.url("dep", "/soak?work=20ms"))
	l.cmd = exec.Command(program, args...)
	l.cmd.Stdout, l.cmd.Stderr = &l.out, &l.out
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.cmd.Process.Kill(); l.wait() })
	return l
}

func (l *h2load) wait() {
	l.once.Do(func() {
		if err := l.cmd.Wait(); err != nil {
			l.t.Errorf("%s: h2load: %v\n%s", l.name, err, &l.out)
		}
	})
}

// read returns how many requests there were, and those without an answer of the
// dependency: each line has when it began and how long it took, both in
// microseconds, and between them its status, which is -1 if its stream failed.
func (l *h2load) read() (all int, lost []loss) {
	f, err := os.Open(l.log)
	if err != nil {
		l.t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); all++ {
		var began, status, took int64
		if _, err := fmt.Sscan(lines.Text(), &began, &status, &took); err != nil {
			l.t.Fatalf("h2load writes %q: %v", lines.Text(), err)
		}
		if status != 200 {
			from := time.UnixMicro(began)
			lost = append(lost, loss{began: from, ended: from.Add(time.Duration(took) * time.Microsecond),
				what: fmt.Sprintf("%s: status %d", l.name, status)})
		}
	}
	if failed := l.failed(); failed != len(lost) {
		l.t.Errorf("%s: h2load counts %d that failed, and writes down %d\n%s", l.name, failed,
			len(lost), &l.out)
	}
	return all, lost
}

// failed is h2load's own count.
func (l *h2load) failed() (n int) {
	for line := range strings.Lines(l.out.String()) {
		if rest, ok := strings.CutPrefix(line, "requests: "); ok {
			for part := range strings.SplitSeq(rest, ", ") {
				if count, is := strings.CutSuffix(part, " failed"); is {
					n, _ = strconv.Atoi(count)
					return n
				}
			}
		}
	}
	l.t.Errorf("%s: h2load has no count\n%s", l.name, &l.out)
	return 0
}
