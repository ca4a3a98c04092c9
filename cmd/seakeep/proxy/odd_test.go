package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// TestAnswerThatCannotBePassed: what no server may send is the dependency's
// fault, and is answered as such.
func TestAnswerThatCannotBePassed(t *testing.T) {
	for name, c := range map[string]struct{ answer, kind string }{
		"status 042":   {"HTTP/1.1 042 X\r\nContent-Length: 0", "http_protocol_error"},
		"status 000":   {"HTTP/1.1 000 X\r\nContent-Length: 0", "http_protocol_error"},
		"two lengths":  {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3", "http_protocol_error"},
		"unasked 101":  {"HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x", "http_upgrade_failed"},
		"bad trailer":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Host, Content-Length", "http_protocol_error"},
		"empty status": {"HTTP/1.1  OK", "http_protocol_error"},
	} {
		t.Run(name, func(t *testing.T) {
			u := start(t, policy(scripted(t, always(c.answer, "", "")).url(),
				"breaker: {window: 5 calls, calls: 2, failures: 50%}"))
			resp, body := u.get("/")
			if got := resp.Header.Get("Proxy-Status"); resp.StatusCode != http.StatusBadGateway ||
				!strings.HasPrefix(got, "seakeep; error="+c.kind) {
				t.Errorf("%d, %s", resp.StatusCode, got)
			}
			if !strings.Contains(body, `"policy":"dep"`) || !strings.Contains(body, `"attempts":1`) {
				t.Error(body)
			}
			if u.log.has("panic") {
				t.Error("the proxy has panicked")
			}
		})
	}
}
