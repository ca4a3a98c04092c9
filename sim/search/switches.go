package search

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
)

// Switch is one thing that might end or prevent a metastable state.
type Switch struct {
	Name string
	Set  func(*config.Scenario)
}

// Switches are those that the literature and the field try.
func Switches() []Switch {
	each := func(set func(*config.Settings)) func(*config.Scenario) {
		return func(s *config.Scenario) { eachSettings(s, set) }
	}
	queues := func(set func(*config.Queue)) func(*config.Scenario) {
		return func(s *config.Scenario) {
			for _, v := range s.Services {
				if v.Workers > 0 && v.Queue.Rule != config.Refuse {
					set(&v.Queue)
				}
			}
		}
	}
	return []Switch{
		{"no retries", each(func(s *config.Settings) { s.Call.Retry, s.Call.Budget = nil, nil })},
		{"full jitter", each(func(s *config.Settings) {
			if s.Call.Retry != nil {
				s.Call.Retry.Backoff = retry.Backoff{Base: 100 * time.Millisecond, Cap: 10 * time.Second}
			}
		})},
		{"retry budget 10 %", each(func(s *config.Settings) {
			if s.Call.Retry != nil {
				s.Call.Budget = &budget.Config{Ratio: 0.1}
			}
		})},
		{"drop expired work", queues(func(q *config.Queue) { q.DropExpired = true })},
		{"bounded queue", bounded},
		{"LIFO queue", queues(func(q *config.Queue) { q.Rule = config.LIFO })},
	}
}

// bounded gives every queue half of the length at which all of it would be
// served too late: what the workers do in the time that callers wait.
func bounded(s *config.Scenario) {
	wait := patience(s)
	for _, v := range s.Services {
		if v.Workers == 0 || v.Queue.Rule == config.Refuse {
			continue
		}
		if work := expected(v); work > 0 {
			v.Queue.Length = max(1, int(float64(v.Workers)*wait.Seconds()/work.Seconds()/2))
		}
	}
}

// patience is the shortest time that any caller waits for an attempt.
func patience(s *config.Scenario) time.Duration {
	least := time.Hour
	note := func(d time.Duration) {
		if d > 0 {
			least = min(least, d)
		}
	}
	for _, c := range s.Clients {
		note(c.Patience)
	}
	eachSettings(s, func(c *config.Settings) {
		note(c.Call.Timeout.Request)
		note(c.Call.Timeout.Total)
	})
	return least
}

// expected is about how long a worker is busy with a request.
func expected(v *config.Service) time.Duration {
	l := v.Routes[0].Work
	return max(l.Mean, l.Median, l.Floor)
}

// SwitchResult is what a switch makes of the trigger.
type SwitchResult struct {
	Name string
	Recovery
}

// TrySwitches puts each switch to use from the start and lets the trigger
// happen.
func TrySwitches(s *config.Scenario, w Watch) ([]SwitchResult, error) {
	k, err := trigger(s)
	if err != nil {
		return nil, err
	}
	length := s.Changes[k].Length
	out := []SwitchResult{}
	for _, sw := range append([]Switch{{"as it is", func(*config.Scenario) {}}}, Switches()...) {
		c := Clone(s)
		sw.Set(c)
		r, err := Recover(c, 1, length, w)
		if err != nil {
			return nil, err
		}
		out = append(out, SwitchResult{sw.Name, r})
	}
	return out, nil
}
