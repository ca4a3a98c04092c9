package balance

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		config Config
		peers  []Peer
		want   string // "": good
	}{
		{Config{}, nil, ""},
		{Config{Policy: RoundRobin, Decay: time.Hour, SlowStart: Off, Panic: Off, Zone: "a"}, nil, ""},
		{Config{Panic: 1}, []Peer{{}, {Weight: 0.5}, {Weight: maxWeight}}, ""},
		{Config{Policy: 2}, nil, "Policy: is 2; give TwoChoices or RoundRobin"},
		{Config{Decay: -1}, nil, "Decay: is -1ns; give a time such as 10s, from 1ms to 1h0m0s"},
		{Config{SlowStart: 1}, nil, "SlowStart: is 1ns"},
		{Config{Panic: -0.5}, nil, "Panic: is -0.5"},
		{Config{Panic: math.NaN()}, nil, "Panic: is NaN"},
		{Config{}, []Peer{{Weight: -1}}, "Weight: is -1"},
		{Config{}, []Peer{{Weight: math.Inf(1)}}, "Weight: is +Inf"},
		{Config{}, make([]Peer, 65), "peers: are 65; give at most 64"},
	} {
		_, err := New(c.config, c.peers)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%+v: %v, want %q", c.config, err, c.want)
		}
	}
	b := turns(t, 1)
	if b.Reconfigure(0, Config{Decay: -1}) == nil || b.Reconfigure(0, Config{}) != nil {
		t.Error("Reconfigure takes what is not valid, or refuses what is")
	}
}
