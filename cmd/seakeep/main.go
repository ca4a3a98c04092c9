// Command seakeep protects a service from what it depends on.
//
// Each command is one file, named after it, with a function newXxxCommand that
// root.go adds. What a command does lives in a folder beside this file; the
// command's own file only reads flags, calls it and prints.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // calendars of objectives, where the system has no zones
)

func main() {
	root := newRootCommand()
	root.SetArgs(os.Args[1:])
	os.Exit(execute(context.Background(), root, os.Stdout, os.Stderr))
}
