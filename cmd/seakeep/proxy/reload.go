package proxy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/problem"
	"github.com/seakeep/seakeep/seakeephttp"
)

// fileState is what is known of the policy file.
type fileState struct {
	path    string // empty: the policies came from elsewhere
	sum     [sha256.Size]byte
	loaded  time.Time
	reloads int // that changed what is in use
	// refusals are texts that were not put to use.
	refusals int
	err      error // why the latest text is not in use; nil: it is
	errAt    time.Time
}

// Open returns a proxy for a policy file, as New does, which reloads the file
// when it changes. The error lists everything that is wrong with the file; see
// config.Errors.
func Open(path string, o Options) (*Proxy, error) {
	p := newProxy(o)
	file, sum, err := load(path)
	if err != nil {
		return nil, err
	}
	if o.Trace != nil {
		if p.tracer, err = o.Trace(file.Service, p.metrics); err != nil {
			return nil, err
		}
	}
	p.set, err = seakeep.NewSet(file, p.setOptions())
	if err != nil {
		return nil, err
	}
	p.file = fileState{path: path, sum: sum, loaded: time.Now()}
	p.warn(file)
	return p, p.begin(file)
}

func load(path string) (*config.File, [sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	f, err := os.Open(path)
	if err != nil {
		return nil, sum, fmt.Errorf("policy file: %w", err)
	}
	defer f.Close()
	data, err := config.ReadAll(f)
	if err != nil {
		return nil, sum, fmt.Errorf("policy file: %w", err)
	}
	sum = sha256.Sum256(data)
	file, err := config.Parse(path, data)
	return file, sum, err
}

// errNoFile is the answer to a reload where there is nothing to load.
var errNoFile = errors.New("the policies did not come from a file")

// Reload reads the policy file again and puts it to use. A file that is wrong,
// or whose listeners cannot be opened, changes nothing.
func (p *Proxy) Reload() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reload(true)
}

// reload reads the file, and puts it to use if it has changed or force is set.
// The caller holds the lock.
func (p *Proxy) reload(force bool) error {
	if p.file.path == "" {
		return errNoFile
	}
	if p.ended {
		return ErrClosed
	}
	file, sum, err := load(p.file.path)
	if !force && sum == p.file.sum {
		return nil
	}
	p.file.sum = sum
	if err == nil {
		err = p.arrange(file, func() error { return p.set.Apply(file) })
	}
	if err != nil {
		p.file.err, p.file.errAt = err, time.Now()
		p.file.refusals++
		p.log.Error("the policy file is refused; what runs goes on unchanged", "file", p.file.path)
		for line := range strings.Lines(err.Error()) {
			p.log.Error(strings.TrimSpace(line))
		}
		return err
	}
	p.file.err, p.file.loaded = nil, time.Now()
	p.file.reloads++
	p.log.Info("policy file reloaded", "file", p.file.path)
	p.warn(file)
	return nil
}

func (p *Proxy) warn(file *config.File) {
	for _, w := range file.Warnings() {
		p.log.Warn(w.String())
	}
}

// wanted is what a file says of one listener.
type wanted struct {
	address, name string
	kind          frontKind
	tls           *config.ListenTLS // nil: there is none
}

// key tells listeners apart. Port 0 is a new port each time it is opened.
func (w wanted) key() string {
	if _, port, _ := net.SplitHostPort(w.address); port == "0" {
		return w.address + " " + w.name
	}
	return w.address
}

func (p *Proxy) wanted(file *config.File) (all []wanted, err error) {
	if s := file.Serve; s != nil && s.Listen != "" {
		all = append(all, wanted{s.Listen, serveName, serveFront, s.ListenTLS})
	}
	for _, d := range file.Dependencies {
		if d.Listen != "" {
			all = append(all, wanted{address: d.Listen, name: d.Name, tls: d.ListenTLS})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("neither serve nor a dependency has a listen address, so there is " +
			"nothing to do; give one, such as listen: 127.0.0.1:8101")
	}
	if admin := p.options.Admin; admin != "" {
		all = append(all, wanted{address: admin, name: "admin", kind: adminFront})
	} else if file.Admin.Listen != "" {
		all = append(all, wanted{address: file.Admin.Listen, name: "admin", kind: adminFront})
	}
	return all, nil
}

// arrange makes the listeners those of a file. Everything that can fail comes
// before use, which puts the policies in place; if that fails too, nothing has
// changed. The caller holds the lock.
func (p *Proxy) arrange(file *config.File, use func() error) error {
	all, err := p.wanted(file)
	if err != nil {
		return err
	}
	secrets, err := p.secure(all)
	if err = p.readable(file, err); err != nil {
		return err
	}
	opened, err := p.openNew(all)
	if err == nil && file.Serve != nil && file.Serve.Listen != "" {
		err = p.keys.Prepare(file.Serve.Idempotency)
	}
	if err == nil {
		err = p.openBudgets(file)
	}
	if err == nil {
		err = use()
	}
	if err != nil {
		for _, f := range opened {
			_ = f.listener.Close()
		}
		return err
	}
	p.restoreBudgets()
	next := make(map[string]*front, len(all))
	for _, w := range all {
		f := opened[w.key()]
		if f == nil {
			f = p.fronts[w.key()]
		}
		next[w.key()] = f
		f.tls.Store(secrets[w.key()])
		if err := p.direct(f, w, file); err != nil {
			return err
		}
	}
	old := p.fronts
	p.fronts = next
	for key, f := range opened {
		p.log.Info("listening", "for", next[key].name(), "address", f.listener.Addr().String(),
			"tls", f.tls.Load().String())
		if p.serving {
			f.start()
		}
	}
	p.retireUnused(old)
	return nil
}

// openNew opens the listeners that are not there yet.
func (p *Proxy) openNew(all []wanted) (map[string]*front, error) {
	opened := map[string]*front{}
	for _, w := range all {
		if f := p.fronts[w.key()]; f != nil && (f.kind == adminFront) == (w.kind == adminFront) {
			continue
		}
		f, err := p.open(w.address, w.kind)
		if err != nil {
			for _, f := range opened {
				_ = f.listener.Close()
			}
			return nil, fmt.Errorf("cannot listen for %s: %w", w.name, err)
		}
		opened[w.key()] = f
	}
	return opened, nil
}

// direct sends a listener's requests to their dependency, which the set has, or
// through the door.
func (p *Proxy) direct(f *front, w wanted, file *config.File) error {
	switch f.kind = w.kind; w.kind {
	case adminFront:
		return nil
	case serveFront:
		return p.behind(f, w, file)
	}
	t := p.transports[w.name]
	if t == nil {
		var err error
		if t, err = p.transport(p.set, w.name); err != nil {
			return err
		}
		p.transports[w.name] = t
	}
	if r := f.route.Load(); r == nil || r.name != w.name || r.gate != nil {
		f.route.Store(p.newRoute(w.name, t, nil))
	}
	return nil
}

func (p *Proxy) newRoute(name string, t *seakeephttp.Transport, g *seakeephttp.Gate) *route {
	mark := problem.Pseudonym + " (" + p.id + "/" + name + ")"
	return &route{name, mark, [...]string{"1.0 " + mark, "1.1 " + mark, "2 " + mark}, t, g}
}

// retireUnused drains the listeners and drops the transports that are no
// longer in use. Requests under way keep theirs.
func (p *Proxy) retireUnused(old map[string]*front) {
	for key, f := range old {
		if p.fronts[key] != f {
			p.log.Info("no longer listening", "for", f.name(), "address", f.address)
			p.retire(f, p.options.Grace)
		}
	}
	used := map[string]bool{}
	for _, f := range p.fronts {
		used[f.name()] = true
	}
	for name, t := range p.transports {
		if !used[name] {
			delete(p.transports, name)
			drop(t)
		}
	}
	if t := p.upstream.transport; t != nil && !used[serveName] {
		p.upstream.transport = nil
		drop(t)
	}
}

// drop ends what a transport does that nobody will use any more: it would go on
// asking for endpoints and keeping connections ahead.
func drop(t *seakeephttp.Transport) {
	t.CloseIdleConnections()
	go t.Close() // what asks for its endpoints ends in its own time
}
