package seakeephttp_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/seakeep/seakeep/core/idempotency"
	"github.com/seakeep/seakeep/seakeephttp"
)

// A payment that is sent twice under the same key is made once.
func ExampleIdempotency() {
	payments := 0
	app := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payments++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "payment %d", payments)
	})
	store, err := idempotency.NewMemory(idempotency.Config{})
	if err != nil {
		log.Fatal(err)
	}
	handler := seakeephttp.Idempotency(app, seakeephttp.IdempotencyConfig{
		Store:     store,
		Principal: func(r *http.Request) string { return r.Header.Get("X-Account") },
	})
	for range 2 {
		r := httptest.NewRequest("POST", "/payments", nil)
		r.Header.Set("Idempotency-Key", `"8e03978e-40d5"`)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body, w.Header().Get("Idempotency-Replayed") == "true")
	}
	// Output:
	// 201 payment 1 false
	// 201 payment 1 true
}
