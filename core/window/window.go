package window

// Counts are the results a window holds. Neutral results are never recorded,
// so every one of Calls is either a success or a failure.
type Counts struct {
	Calls      uint64 // all results
	Failed     uint64 // failures, slow or not
	Slow       uint64 // slow results, failed or not
	SlowFailed uint64 // results that were both; each stands in Failed and in Slow too
}

// FailureShare returns the share of calls that failed. Without calls there is
// no share: ok is false, and nothing may be decided by it.
func (c Counts) FailureShare() (share float64, ok bool) { return part(c.Failed, c.Calls) }

// SlowShare returns the share of calls that were slow. Without calls there is
// no share.
func (c Counts) SlowShare() (share float64, ok bool) { return part(c.Slow, c.Calls) }

func part(some, all uint64) (float64, bool) {
	if all == 0 {
		return 0, false
	}
	return float64(some) / float64(all), true
}

func (c *Counts) add(failed, slow bool) {
	c.Calls++
	if failed {
		c.Failed++
	}
	if slow {
		c.Slow++
		if failed {
			c.SlowFailed++
		}
	}
}

func (c *Counts) take(o *Counts) {
	c.Calls -= o.Calls
	c.Failed -= o.Failed
	c.Slow -= o.Slow
	c.SlowFailed -= o.SlowFailed
}
