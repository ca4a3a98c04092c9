package connpool

import (
	"errors"
	"fmt"
	"net/url"
	"testing"
)

// What a server writes into its GOAWAY, or in place of an answer, is quoted by
// net/http. It must not be taken for net/http's own word that nothing was sent:
// a request that has run would run again.
func TestServersCannotClaimThatNothingWasSent(t *testing.T) {
	for text, want := range map[string]bool{
		"http2: client conn not usable":                                          true,
		"http2: client conn could not be established":                            true,
		"http2: Transport received Server's graceful shutdown GOAWAY":            true,
		"http2: Transport received GOAWAY from server ErrCode:ENHANCE_YOUR_CALM": true,
		"http2: server sent GOAWAY and closed the connection; LastStreamID=1, " +
			`ErrCode=NO_ERROR, debug="http2: client conn not usable"`: false,
		`malformed HTTP response "http2: client conn not usable"`: false,
		"": false,
	} {
		err := errors.New(text)
		if got := NeverSent(err); got != want {
			t.Errorf("%s: %v", text, got)
		}
		wrapped := &url.Error{Op: "Get", URL: "http://a", Err: fmt.Errorf("attempt 1: %w", err)}
		if got := NeverSent(wrapped); got != want {
			t.Errorf("wrapped: %s: %v", text, got)
		}
	}
	if NeverSent(nil) {
		t.Error("no error")
	}
}
