package shed

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	for _, c := range []Config{{}, {Target: time.Millisecond, Window: time.Second, Requests: 100,
		Shrink: 0.5, Grow: 1, Scheduler: 10 * time.Millisecond}} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{Config{Target: -1}, "Target: is -1ns; give a time from 10µs to 1m0s, or leave it out"},
		{Config{Window: time.Hour}, "Window: is 1h0m0s; give"},
		{Config{Requests: 99}, "Requests: is 99; give a number such as 2000, from 100 to 1000000"},
		{Config{Shrink: 0.6}, "Shrink: is 0.6; give a share from 0 to 0.5"},
		{Config{Grow: math.NaN()}, "Grow: is NaN; give a share from 0 to 1"},
		{Config{Scheduler: time.Nanosecond}, "Scheduler: is 1ns; give"},
		{Config{Target: -1, Grow: 2}, "Target: is -1ns; give a time from 10µs to 1m0s, or leave it out\n" +
			"Grow: is 2"},
	} {
		_, err := New(tc.c)
		if err == nil || !strings.HasPrefix(err.Error(), "shed: "+tc.want) {
			t.Errorf("%+v: %v", tc.c, err)
		}
	}
	if got := (Config{}).withDefaults(); got != (Config{Target: 20 * time.Millisecond,
		Window: 250 * time.Millisecond, Requests: 2000, Shrink: 0.05, Grow: 0.01}) {
		t.Errorf("defaults are %+v", got)
	}
}

func TestRecoveryConfig(t *testing.T) {
	if err := (RecoveryConfig{}).Validate(); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		c    RecoveryConfig
		want string
	}{
		{RecoveryConfig{Window: time.Millisecond}, "Window: is 1ms; give"},
		{RecoveryConfig{Useful: 1.1}, "Useful: is 1.1; give a share from 0 to 1"},
		{RecoveryConfig{Wasted: -0.1}, "Wasted: is -0.1; give"},
		{RecoveryConfig{Retries: 11}, "Retries: is 11; give a share from 0 to 10"},
		{RecoveryConfig{Windows: -1}, "Windows: is -1; give a number such as 10, at most 1000"},
		{RecoveryConfig{Admit: 2}, "Admit: is 2; give"},
		{RecoveryConfig{Ramp: time.Millisecond}, "Ramp: is 1ms; give a time from 1s to 1h0m0s"},
	} {
		_, err := NewRecovery(tc.c)
		if err == nil || !strings.HasPrefix(err.Error(), "shed: "+tc.want) {
			t.Errorf("%+v: %v", tc.c, err)
		}
	}
}
