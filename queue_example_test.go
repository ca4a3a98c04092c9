package seakeep_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// A bounded queue between the parts of a program. When it is full the less
// important work goes, and what is too late to be useful is never handed out.
func ExampleQueue() {
	jobs, err := seakeep.NewQueue(seakeep.QueueConfig[string]{
		Length: 2,
		Wait:   time.Second,
		Full:   seakeep.DropLowest,
		OnDrop: func(job string, why core.Reason) { fmt.Println("dropped", job, "-", why) },
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	batch := seakeep.WithCriticality(ctx, seakeep.Sheddable)
	_ = jobs.Put(batch, "report")
	_ = jobs.Put(ctx, "checkout")
	_ = jobs.Put(ctx, "payment")
	if err := jobs.Put(batch, "export"); errors.Is(err, seakeep.ErrQueueFull) {
		fmt.Println(err)
	}
	jobs.Close()
	for {
		job, err := jobs.Take(ctx)
		if err != nil {
			break // ErrQueueClosed: it is empty
		}
		fmt.Println("did", job)
	}
	// Output:
	// dropped report - evicted
	// seakeep: the queue is full
	// did checkout
	// did payment
}
