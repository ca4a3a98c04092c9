package main

import (
	"strings"
	"testing"
)

func TestBrowser(t *testing.T) {
	for _, row := range []struct{ system, env, want string }{
		{"linux", "", ""}, {"linux", "DISPLAY", "xdg-open"}, {"freebsd", "WAYLAND_DISPLAY", "xdg-open"},
		{"linux", "DISPLAY SSH_CONNECTION", ""}, {"darwin", "", "open"}, {"darwin", "SSH_CONNECTION", ""},
		{"windows", "", "rundll32 url.dll,FileProtocolHandler"},
	} {
		got := browser(row.system, func(key string) string {
			if strings.Contains(" "+row.env+" ", " "+key+" ") {
				return "x"
			}
			return ""
		})
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s with %q: %q, want %q", row.system, row.env, got, row.want)
		}
	}
}
