package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Sampler logs the first lines of each second and counts the others. When a
// dependency is down the same line comes by the thousand, and the log must not
// be what fails next. How many were left out is told when the second is over.
type Sampler struct {
	log   *slog.Logger
	limit int

	mu      sync.Mutex
	second  int64
	lines   int
	skipped int
	like    string // one of those
}

// NewSampler returns a Sampler of that many lines a second.
func NewSampler(log *slog.Logger, perSecond int) *Sampler {
	return &Sampler{log: log, limit: perSecond}
}

// Info logs a line, or counts it.
func (s *Sampler) Info(message string, args ...any) { s.Log(slog.LevelInfo, message, args...) }

// Log logs a line at a level, or counts it.
func (s *Sampler) Log(level slog.Level, message string, args ...any) {
	now := time.Now()
	s.mu.Lock()
	skipped, like := 0, s.like
	if second := now.Unix(); second != s.second {
		skipped, s.skipped = s.skipped, 0
		s.second, s.lines = second, 0
	}
	s.lines++
	show := s.lines <= s.limit
	if !show {
		s.like = message
		if s.skipped++; s.skipped == 1 {
			time.AfterFunc(time.Second-time.Duration(now.Nanosecond()), s.Flush)
		}
	}
	s.mu.Unlock()
	s.tell(skipped, like)
	if show {
		s.log.Log(context.Background(), level, message, args...)
	}
}

// Flush tells how many lines were left out lately.
func (s *Sampler) Flush() {
	s.mu.Lock()
	skipped, like := s.skipped, s.like
	s.skipped = 0
	s.mu.Unlock()
	s.tell(skipped, like)
}

func (s *Sampler) tell(skipped int, like string) {
	if skipped > 0 {
		s.log.Info("more of these", "lines", skipped, "like", like)
	}
}
