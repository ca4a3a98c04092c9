package prometheus_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/adapters/prometheus"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// A program that counts what its policies decide, and offers that to Prometheus.
func Example() {
	pricing := httptest.NewServer(http.NotFoundHandler())
	defer pricing.Close()
	file, err := config.Parse("seakeep.yaml", []byte("version: 1\nservice: shop\ndependencies:\n"+
		"  pricing: {endpoints: ["+pricing.URL+"], timeout: {request: 1s}}\n"))
	if err != nil {
		log.Fatal(err)
	}
	metrics := telemetry.New(telemetry.Options{})
	policies, err := seakeep.NewSet(file, seakeep.Options{Observer: metrics})
	if err != nil {
		log.Fatal(err)
	}
	transport, err := seakeephttp.NewTransport(policies, "pricing", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer transport.Close()
	metrics.Watch(policies, transport)
	registry := client.NewRegistry()
	registry.MustRegister(prometheus.NewCollector(metrics))
	admin := httptest.NewServer(prometheus.Handler(registry))
	defer admin.Close()

	resp, err := (&http.Client{Transport: transport}).Get("http://pricing/quote")
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	page, err := http.Get(admin.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer page.Body.Close()
	text, _ := io.ReadAll(page.Body)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "seakeep_calls_total") && strings.HasSuffix(line, " 1\n") {
			fmt.Print(line)
		}
	}
	// Output: seakeep_calls_total{dependency="pricing",operation="",outcome="ignored"} 1
}
