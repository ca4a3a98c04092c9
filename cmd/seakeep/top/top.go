package top

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Terminal is where the wall is drawn.
type Terminal struct {
	Out  io.Writer
	Keys io.Reader // nil: there is no keyboard
	// Size returns how large it is, in characters.
	Size  func() (width, height int)
	Color bool
}

// Print writes one table.
func Print(ctx context.Context, base string, out io.Writer) error {
	v, err := Get(ctx, base)
	if err != nil {
		return err
	}
	s := &screen{base: base, snapshot: v}
	lines := s.wall()
	if v.Serve != nil {
		lines = append(lines, door(v.Serve))
	}
	_, err = fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	otherPage  = "\x1b[?1049h" // and not over what is on the screen
	firstPage  = "\x1b[?1049l"
	home       = "\x1b[H"
	clearLine  = "\x1b[K"
	clearRest  = "\x1b[J"
)

// Run draws the wall until somebody quits or ctx ends. The terminal gives keys as
// they are pressed.
func Run(ctx context.Context, base string, t Terminal) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard, keys := make(chan news), make(chan rune)
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow(ctx, base, func(n news) {
			select {
			case heard <- n:
			case <-ctx.Done():
			}
		})
	}()
	defer func() { cancel(); <-done }()
	if t.Keys != nil {
		go readKeys(ctx, t.Keys, keys) // ends with the next key, or with the program
	}
	if _, err := io.WriteString(t.Out, otherPage+hideCursor); err != nil {
		return err
	}
	defer func() { _, _ = io.WriteString(t.Out, showCursor+firstPage) }()
	s := &screen{base: base, color: t.Color}
	beat := time.NewTicker(time.Second) // how long there is no connection, and another size
	defer beat.Stop()
	for {
		width, height := t.Size()
		text := home + strings.Join(s.lines(width, height, time.Now()), clearLine+"\r\n") + clearLine + clearRest
		if _, err := io.WriteString(t.Out, text); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case n := <-heard:
			s.hear(n, time.Now())
		case key := <-keys:
			if !s.press(key) {
				return nil
			}
		case <-beat.C:
		}
	}
}

func readKeys(ctx context.Context, from io.Reader, keys chan<- rune) {
	in := bufio.NewReader(from)
	for {
		key, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if key == 27 && in.Buffered() > 0 { // an arrow or the like, which means nothing here
			_, _ = in.Discard(in.Buffered())
			continue
		}
		select {
		case keys <- key:
		case <-ctx.Done():
			return
		}
	}
}
