package live

import "context"

// Background runs what ends with its context, and returns what ends it and
// waits for that.
func Background(run func(context.Context) error) (stop func()) {
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	return func() {
		end()
		<-done
	}
}
