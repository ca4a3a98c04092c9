package proxy

import (
	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/breaker"
)

// open holds the breaker of dep open.
func (u *under) open() {
	u.set.MustPolicy("dep").Plan().Force(seakeep.Now(), breaker.ForceOpen)
}
