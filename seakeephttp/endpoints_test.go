package seakeephttp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seakeep/seakeep"
)

// file is a policy file with one dependency, "test".
func file(settings string, endpoints ...string) string {
	return fmt.Sprintf("version: 1\nservice: tests\ndependencies:\n  test:\n    endpoints: [%s]\n    %s\n",
		strings.Join(endpoints, ", "), settings)
}

// fileTransport is a transport for the dependency of that file.
func fileTransport(tb testing.TB, settings string, endpoints ...string) *Transport {
	tb.Helper()
	return transport(tb, setOf(tb, file(settings, endpoints...)), nil)
}

func transport(tb testing.TB, set *seakeep.Set, base http.RoundTripper) *Transport {
	tb.Helper()
	tr, err := NewTransport(set, "test", base)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(tr.CloseIdleConnections)
	return tr
}
