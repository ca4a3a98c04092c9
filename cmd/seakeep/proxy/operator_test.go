package proxy

import (
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/breaker"
)

// open holds the breaker of dep open.
func (u *under) open() {
	u.set.MustPolicy("dep").Plan().Force(seakeep.Now(), "", breaker.ForceOpen)
}

// passed reports whether the proxy has run for so many milliseconds since it
// was first asked.
func passed(u *under, ms float64) bool {
	u.once.Do(func() { u.asked = time.Now() })
	return millis(time.Since(u.asked)) > ms
}
