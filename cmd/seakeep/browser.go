package main

import (
	"os"
	"os/exec"
	"runtime"
)

// openPages shows pages in a browser, if this machine has a screen and a command
// for that. Who has none has been told where the pages are.
func openPages(pages []string) {
	command := browser(runtime.GOOS, os.Getenv)
	if command == nil {
		return
	}
	for _, page := range pages {
		c := exec.Command(command[0], append(command[1:len(command):len(command)], page)...)
		if c.Start() == nil {
			go func() { _ = c.Wait() }()
		}
	}
}

// browser returns the command that opens a page; nil if nobody could see it.
func browser(system string, getenv func(string) string) []string {
	switch {
	case getenv("SSH_CONNECTION") != "":
		return nil // the screen is elsewhere
	case system == "darwin":
		return []string{"open"}
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
