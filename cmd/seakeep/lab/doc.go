// Package lab is the engine of the page "Try it": the simulator behind one
// function that takes a question as JSON and gives an answer as JSON. In a
// browser it runs as WebAssembly, in a worker; its figures are those of
// "seakeep sim", to the last digit, because it is the same code.
//
// A lab is for one goroutine at a time.
package lab
