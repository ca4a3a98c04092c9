// Command engine is the simulator for a page. Built for WebAssembly it puts the
// function seakeepLab(question) into the global object and stays there; built
// for anything else it answers the questions on standard input, one a line.
package main

import "github.com/seakeep/seakeep/cmd/seakeep/lab"

func main() { serve(new(lab.Lab)) }
