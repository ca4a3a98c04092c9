//go:build !js

package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/seakeep/seakeep/cmd/seakeep/lab"
)

const maxQuestion = 8 << 20

func serve(l *lab.Lab) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, maxQuestion)
	for in.Scan() {
		if _, err := os.Stdout.Write(l.Answer(in.Bytes())); err != nil {
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
