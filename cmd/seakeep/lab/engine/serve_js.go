package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/seakeep/seakeep/cmd/seakeep/lab"
)

// memory is what the garbage collector may let pile up before it works harder.
const memory = 256 << 20

func serve(l *lab.Lab) {
	debug.SetMemoryLimit(memory)
	debug.SetGCPercent(400)
	js.Global().Set("seakeepLab", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || args[0].Type() != js.TypeString {
			return `{"error":"give one question, as text"}`
		}
		return string(l.Answer([]byte(args[0].String())))
	}))
	select {}
}
