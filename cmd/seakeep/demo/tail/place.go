package tail

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// place is where the replicas can be called.
type place struct {
	url  string
	urls []string // of the replicas, as events name them
	door http.RoundTripper
	stop func()
}

// opener puts replicas somewhere, behind a policy file.
type opener func(f *fleet, file string, o seakeep.Options) (*place, error)

// onSockets puts each on a port of the loopback interface, behind a proxy.
func onSockets(f *fleet, file string, o seakeep.Options) (*place, error) {
	p := &place{stop: func() {}}
	if err := p.set(f, file, o); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// set starts everything. What it has started is to be stopped even with an
// error.
func (p *place) set(f *fleet, file string, o seakeep.Options) error {
	for i := range replicas {
		s, err := live.Serve(f.replica(i + 1))
		if err != nil {
			return err
		}
		p.before(s.Stop)
		p.urls = append(p.urls, s.URL)
	}
	policy, err := read(file, p.urls)
	if err != nil {
		return err
	}
	set, err := seakeep.NewSet(policy, o)
	if err != nil {
		return err
	}
	front, err := proxy.New(set, proxy.Options{Grace: time.Second, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	door := live.Door()
	p.url, p.door = "http://"+front.Addr(dependency).String(), door
	p.before(live.Background(front.Run))
	p.before(door.CloseIdleConnections)
	return nil
}

// before adds something to stop before all that is to be stopped so far.
func (p *place) before(stop func()) {
	rest := p.stop
	p.stop = func() {
		stop()
		rest()
	}
}
