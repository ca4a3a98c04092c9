package demo

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Screen is where a run is shown while it goes on.
type Screen struct {
	Out   io.Writer
	Live  bool // Out is a terminal: draw a picture there and redraw it
	Color bool
	// Open shows pages to who started the demo; nil: nobody looks.
	Open func(pages []string)
}

const redraw = 250 * time.Millisecond

// show draws what happens until the function it returns is called.
func show(s *stage, screen Screen) (stop func()) {
	var v view = &lines{stage: s, out: screen.Out, sampler: sampler{stage: s, over: time.Second}}
	if screen.Live {
		v = &picture{stage: s, out: screen.Out, color: screen.Color,
			sampler: sampler{stage: s, over: 2 * time.Second}}
	}
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		v.begin()
		ticker := time.NewTicker(redraw)
		defer ticker.Stop()
		seen := 0
		for {
			fresh := s.rec.transitions(seen)
			seen += len(fresh)
			v.draw(s.sentences(fresh))
			select {
			case <-ticker.C:
			case <-quit:
				v.end(s.sentences(s.rec.transitions(seen)))
				return
			}
		}
	})
	return func() { close(quit); wg.Wait() }
}

// sentences says what breakers did, one line each.
func (s *stage) sentences(changes []transition) (lines []string) {
	for _, t := range changes {
		lines = append(lines, t.sentence(s.file.Dependency(t.policy).Call.Breaker))
	}
	return lines
}

// view is a way to show a run.
type view interface {
	begin()
	draw(news []string) // some times a second, with what breakers did since
	end(news []string)
}

// lines shows a run as one line a second, for logs and pipes.
type lines struct {
	stage   *stage
	out     io.Writer
	sampler sampler
	next    time.Duration
	told    string // what is wrong, as last told
}

func (l *lines) begin() {
	fmt.Fprintln(l.out, headline(l.stage.options))
	l.next = time.Second
}

func (l *lines) draw(changes []string) {
	for _, line := range changes {
		fmt.Fprintln(l.out, line)
	}
	at := l.stage.rec.clock.Now()
	l.tell(at)
	if at < l.next {
		return
	}
	l.next = at.Truncate(time.Second) + time.Second
	s := l.sampler.sample()
	fmt.Fprintln(l.out, s.line(l.stage.options))
}

// tell says when something begins to go wrong, and when it is over.
func (l *lines) tell(at time.Duration) {
	var wrong []string
	for _, d := range l.stage.dependencies {
		if s, slow := d.state(at); slow {
			wrong = append(wrong, s.what())
		}
	}
	now := strings.Join(wrong, "; ")
	if now == l.told {
		return
	}
	l.told = now
	if now == "" {
		now = "all dependencies are well again"
	}
	fmt.Fprintf(l.out, "%6.2fs  %s\n", at.Seconds(), now)
}

func (l *lines) end(changes []string) {
	for _, line := range changes {
		fmt.Fprintln(l.out, line)
	}
}

// headline says what runs.
func headline(o Options) string {
	length := "for " + live.Short(o.For)
	if o.Stay {
		length = "until Ctrl-C"
	}
	return fmt.Sprintf("%d requests a second %s to a checkout program with %d workers; protect: %v",
		o.Rate, length, o.Pool, o.Protect)
}

// line writes a sample as one line.
func (s *sample) line(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6.2fs ", s.at.Seconds())
	for i, name := range names {
		l := &s.of[i]
		fmt.Fprintf(&b, " %s %d%%", name, live.Percent(l.ok, l.ended()))
		if l.fallback > 0 {
			fmt.Fprintf(&b, " + %d%% fallback", live.Percent(l.fallback, l.ended()))
		}
		fmt.Fprintf(&b, " p99 %s |", millis(l.p99))
	}
	fmt.Fprintf(&b, " pool %d/%d", s.pool.busy, o.Pool)
	if s.pool.waiting > 0 {
		fmt.Fprintf(&b, " + %d waiting", s.pool.waiting)
	}
	fmt.Fprintf(&b, " | %.0f retries/s", s.retries())
	return b.String()
}

// millis writes a latency; a negative one is none.
func millis(d time.Duration) string {
	if d < 0 {
		return "-"
	}
	return fmt.Sprintf("%.0fms", float64(d)/float64(time.Millisecond))
}
