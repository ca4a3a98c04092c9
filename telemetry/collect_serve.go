package telemetry

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// door writes what was counted of requests that came in. If there is a door each
// class has its zeros from the beginning.
func (c collection) door(d *door, there bool) {
	var ended [classes][outcomes]uint64
	for class := range classes {
		for o := range outcomes {
			ended[class][o] = c.served(d, class, o)
		}
	}
	d.shed.each(func(class, reason int, n uint64) {
		if core.Reason(reason) == core.CallerCancelled {
			ended[class][core.Cancelled] += n
			return
		}
		ended[class][0] += n
		c.value(idShed, float64(n), classWord(class), reasonWord(reason))
	})
	for class := range ended {
		if t := sum(len(d.hot), func(i int) *timings { return &d.hot[i].waited[class] }); t.Count > 0 {
			c.timing(idRequestWait, t, classWord(class))
		}
		if !there && ended[class] == [outcomes]uint64{} {
			continue
		}
		for o, n := range ended[class] { // also those at zero: a share needs both of its parts
			c.value(idRequests, float64(n), classWord(class), requestOutcomeWord(o))
		}
		good := uint64(0)
		for i := range d.hot {
			good += d.hot[i].good[class].Load()
		}
		c.value(idRequestsGood, float64(good), classWord(class))
	}
	c.inFlight(d)
	c.each(idRequestsQueued, d.queued[:], listed(classWord))
	d.observed.each(func(class, reason int, n uint64) {
		c.value(idRequestsObserved, float64(n), classWord(class), reasonWord(reason))
	})
	for i := range d.deadline {
		if n := d.deadline[i].Load(); n > 0 {
			c.value(idDeadlineExceeded, float64(n), "", "", hops[1], doorPhases[i])
		}
	}
	if t := sum(len(d.hot), func(i int) *timings { return &d.hot[i].left }); t.Count > 0 {
		c.timing(idDeadlineRemaining, t, "", "", hops[1])
	}
	c.doorMoves(d)
}

// served writes how long the requests of a class and an outcome took, and
// returns how many they are.
func (c collection) served(d *door, class, o int) uint64 {
	t := sum(len(d.hot), func(i int) *timings { return &d.hot[i].took[class][o] })
	if t.Count == 0 {
		return 0
	}
	n := t.Count
	t.Exemplars = d.examples[class].read(CallTimed, o)
	if d.fine != nil {
		t.refine(&d.fine[class][o])
	}
	c.timing(idRequestDuration, t, classWord(class), requestOutcomeWord(o))
	return n
}

func (c collection) inFlight(d *door) {
	admitted, ended := uint64(0), uint64(0)
	for i := range d.hot {
		ended += d.hot[i].ended.Load()
	}
	for i := range d.hot {
		admitted += d.hot[i].admitted.Load()
	}
	if admitted > 0 {
		c.value(idRequestsInFlight, float64(admitted-min(admitted, ended)))
	}
}

func (c collection) doorMoves(d *door) {
	c.each(idLimitChanges, d.limit[:], words(directions))
	if n := d.shedMoves.Load(); n > 0 {
		c.value(idShedChanges, float64(n))
	}
	c.each(idRecoveryChanges, d.recovery[:], words(byWhom))
	d.degrade.each(func(direction, by int, n uint64) {
		c.value(idDegradeChanges, float64(n), directions[direction], byWhom[by])
	})
	c.each(idIdempotency, d.keys[:], words(keyResults))
}

// doorState writes what the door is like now.
func (c collection) doorState(s *serve.Snapshot) {
	if l := s.Limit; l != nil {
		c.value(idLimit, float64(l.Limit))
		c.value(idLimitInFlight, float64(s.Slots.InUse))
		c.value(idLimitBaseline, l.Baseline.Seconds())
		c.value(idQueueLimit, float64(s.Slots.Queue))
		for i, n := range s.Slots.Classes {
			c.value(idQueueLength, float64(n), classWord(i))
		}
	}
	c.value(idShedAdmitted, s.Shed.Share)
	c.value(idAdmissionAllowed, s.Shed.Reduced)
	if r := s.Recovery; r != nil {
		c.states(idRecoveryState, recoveryStates, r.State.String())
	}
	if g := s.Degrade; g != nil {
		c.value(idDegradeLevel, float64(g.Level))
		c.value(idDegradePressure, g.Pressure)
	}
	if t := s.Tenants; t != nil {
		c.value(idTenants, float64(t.Keys))
		c.value(idTenantsForgotten, float64(t.Forgotten))
	}
}

// proxy writes what a proxy knows of itself.
func (c collection) proxy(p *ProxyState) {
	c.yes(idProxyReady, p.Ready)
	for _, l := range p.Listeners {
		c.value(idProxyConnections, float64(l.Connections), l.Name)
		c.value(idProxyRequests, float64(l.InFlight), l.Name)
		c.value(idProxyTunnels, float64(l.Tunnels), l.Name)
	}
	c.value(idProxyReloads, float64(p.Reloads), "used")
	c.value(idProxyReloads, float64(p.Refused), "refused")
	c.value(idProxyBeacons, float64(p.Beacons), "taken")
	c.value(idProxyBeacons, float64(p.BeaconsRefused), "refused")
	if !p.Loaded.IsZero() {
		c.value(idProxyLoaded, float64(p.Loaded.UnixMilli())/1000)
	}
}
