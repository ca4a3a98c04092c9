package idempotency

// Fate says what becomes of a key when its run has ended with a certain answer.
// The zero value stands for the default where it is used.
type Fate uint8

const (
	// Keep: the answer is kept, and repetitions get it.
	Keep Fate = iota + 1
	// Doubt: the key is unknown.
	Doubt
	// Forget: the key is free, and a repetition runs.
	Forget
)

// String returns the fate in lower case.
func (f Fate) String() string {
	names := [...]string{"default", "keep", "doubt", "forget"}
	if int(f) < len(names) {
		return names[f]
	}
	return "invalid"
}

// Fates says which answers are kept. Most are plain: a success and a definite
// refusal are the end of a write, "come back later" is not. For the two that
// are not plain somebody has to choose.
type Fates struct {
	// ServerErrors is for the application's 5xx other than 503. The default is
	// Keep: the write may have been done before the error, and the answer is
	// the application's own word. Forget repeats writes; use it only for an
	// application that undoes everything when it fails.
	ServerErrors Fate
	// Unanswered is for a write that was sent and never answered. The default
	// is Doubt, which is the truth. With Keep, repetitions get whatever the
	// client got, a 504 for example. Forget repeats writes.
	Unanswered Fate
}

// Of returns the fate of a key whose run was answered with an HTTP status.
//
// 401 and 407 are not kept although they are definite: the repetition comes
// with new credentials. 408, 421, 425, 429 and 503 say that nothing was done
// yet, and when or where to try again.
func (f Fates) Of(status int) Fate {
	switch status {
	case 401, 407, 408, 421, 425, 429, 503:
		return Forget
	}
	if status >= 500 {
		return f.ServerErrors.or(Keep)
	}
	return Keep
}

// NoAnswer returns the fate of a key whose write was sent and not answered.
func (f Fates) NoAnswer() Fate { return f.Unanswered.or(Doubt) }

func (f Fate) or(other Fate) Fate {
	if f == 0 {
		return other
	}
	return f
}
