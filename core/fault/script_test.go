package fault

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "injector" makes one, with rules of
// the file added by "rule" before it; every other line is a time and a verb.
// "hit" is an attempt and answers with what happens to it; "free" releases the
// oldest that is hurt.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct {
	j      *Injector
	rules  []Rule
	held   []Injury
	events []core.Event
}

func (p *player) play(words []string) (string, error) {
	switch words[0] {
	case "rule":
		r, err := ruleOf(words[1:])
		p.rules = append(p.rules, r)
		return "", err
	case "injector":
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		c.Rules, p.rules = p.rules, nil
		p.j, err = New(0, c, 1, func(e core.Event) { p.events = append(p.events, e) })
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	return p.do(now, verb, args)
}

func (p *player) do(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "check":
		r, err := ruleOf(args)
		if err == nil {
			if why := p.j.Check(now, r, false); why != nil {
				return why.Error(), nil
			}
			return "it may", nil
		}
		return "", err
	case "start", "force":
		r, err := ruleOf(args)
		if err != nil {
			return "", err
		}
		if err = p.j.Start(now, r, verb == "force"); err != nil {
			return err.Error(), nil
		}
		return "", nil
	case "stop":
		return strconv.Itoa(p.j.Stop(now, strings.Join(args, ""))), nil
	case "reload":
		c, err := settings(args)
		c.Rules, p.rules = p.rules, nil
		if err != nil {
			return "", err
		}
		return "", p.j.Reconfigure(now, c)
	case "hit":
		in := p.j.Admit(now, targetOf(args))
		if in.By != "" {
			p.held = append(p.held, in)
		}
		return told(in), nil
	case "free":
		p.j.Release(p.held[0])
		p.held = p.held[1:]
		return "", nil
	case "good", "bad":
		n, err := strconv.Atoi(args[0])
		for range n {
			p.j.Report(now, verb == "good")
		}
		return "", err
	case "events":
		return p.tell(), nil
	case "show":
		return p.show(now), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

// tell shows the events since the last time.
func (p *player) tell() string {
	var all []string
	for _, e := range p.events {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%v %s %s %s %s", e.Kind, e.Key, e.From+">"+e.To,
			e.Took, e.Detail)))
	}
	p.events = nil
	return strings.Join(all, "; ")
}

func (p *player) show(now core.Instant) string {
	s := p.j.Snapshot(now)
	all := []string{fmt.Sprintf("active %d", s.Active)}
	for _, r := range s.Rules {
		state := r.Over
		if state == "" {
			state = r.Left.String() + " left"
		}
		all = append(all, fmt.Sprintf("%s: %s, %d of %d, spared %d", r.Rule.Name, state, r.Hurt, r.Seen, r.Spared))
	}
	return strings.Join(all, "; ")
}

func told(in Injury) string {
	if in.By == "" {
		return "unhurt"
	}
	text := in.By + ":"
	if in.Wait > 0 {
		text += " wait " + in.Wait.String()
	}
	if in.Blow.Kind > 0 {
		text += fmt.Sprintf(" %v", in.Blow.Kind)
		if n := in.Blow.Status + in.Blow.GRPC; n > 0 {
			text += " " + strconv.Itoa(n)
		}
	}
	if b := in.Body; b != (Body{}) {
		text += fmt.Sprintf(" body %+v", b)
	}
	return text
}

func targetOf(words []string) (t Target) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "operation":
			t.Operation = value
		case "endpoint":
			t.Endpoint = value
		case "method":
			t.Method = value
		case "path":
			t.Path = value
		case "marks":
			t.Marks = value
		}
	}
	return t
}

func settings(words []string) (c Config, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "allow":
			c.Allow = true
		case "share":
			c.Share, err = strconv.ParseFloat(value, 64)
		case "concurrent":
			c.Concurrent, err = strconv.Atoi(value)
		case "success":
			c.Abort.Success, err = strconv.ParseFloat(value, 64)
		case "window":
			c.Abort.Window, err = time.ParseDuration(value)
		case "calls":
			c.Abort.Minimum, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

func kindOf(name string) (Kind, bool) {
	for k := Latency; k <= Bandwidth; k++ {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// ruleOf reads a rule: its name, its kind, and settings.
func ruleOf(words []string) (r Rule, err error) {
	r.Name, r.Share = words[0], 1
	kind, ok := kindOf(words[1])
	if !ok {
		return r, fmt.Errorf("no kind %q", words[1])
	}
	r.Hurt.Kind = kind
	s, h := &r.Scope, &r.Hurt
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "share":
			r.Share, err = strconv.ParseFloat(value, 64)
		case "for":
			r.For, err = time.ParseDuration(value)
		case "delay":
			h.Delay, err = time.ParseDuration(value)
		case "jitter":
			h.Jitter, err = time.ParseDuration(value)
		case "normal":
			h.Normal = true
		case "status":
			h.Status, err = strconv.Atoi(value)
		case "grpc":
			h.GRPC, err = strconv.Atoi(value)
		case "bytes":
			h.Bytes, err = strconv.ParseInt(value, 10, 64)
		case "marked":
			s.Marked = true
		default:
			t := targetOf([]string{word})
			s.Operation, s.Endpoint = s.Operation+t.Operation, s.Endpoint+t.Endpoint
			s.Method, s.Path = s.Method+t.Method, s.Path+t.Path
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}
