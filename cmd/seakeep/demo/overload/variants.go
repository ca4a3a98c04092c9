package overload

import "time"

// variants returns the ways to stand in front of the program that the demo of
// a metastable failure compares.
func variants() []variant {
	return []variant{
		{name: "bare", about: "nothing in front of the program", guard: bare{}},
		{name: "bounded", about: "a limit that is found, and a short queue",
			guard: &doorman{file: "bounded.yaml"}, recovers: true},
		{name: "recovery", about: "a limit that is none, and the way back by itself",
			guard: &doorman{file: "recovers.yaml"}, recovers: true},
		// The operator needs some seconds to see what is going on. By then the
		// queue is so long that it takes a while to drain: until it has, little
		// may come in. The second order is the way back.
		{name: "operator", about: "a limit that is none, and the way back by hand",
			guard: &doorman{file: "open.yaml"}, recovers: true, levers: []lever{
				{at: 18 * time.Second, admit: 0.05},
				{at: 38 * time.Second, admit: 0.4, ramp: 10 * time.Second},
			}},
	}
}
