package overload

// guard stands between users and the program.
type guard interface {
	// start puts it before the server at upstream and returns where it is to be
	// called instead.
	start(upstream string) (address string, stop func(), err error)
}

// bare is no guard at all.
type bare struct{}

func (bare) start(upstream string) (string, func(), error) { return upstream, func() {}, nil }
