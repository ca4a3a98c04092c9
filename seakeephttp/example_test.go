package seakeephttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/seakeephttp"
)

// A policy in Go around any transport. The server fails once; the caller does
// not notice.
func ExampleWrap() {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "attempt ", r.Header.Get("X-Seakeep-Attempt"))
	}))
	defer server.Close()

	policy, err := seakeep.New(seakeep.Config{
		Name:    "pricing",
		Timeout: seakeep.Timeout{Request: time.Second},
		Retry:   &seakeep.Retry{Attempts: 3},
	})
	if err != nil {
		panic(err)
	}
	client := &http.Client{Transport: seakeephttp.Wrap(policy, nil)}
	resp, err := client.Get(server.URL)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body))
	// Output: 200 attempt 2
}
