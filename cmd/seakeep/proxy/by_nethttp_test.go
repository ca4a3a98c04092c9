package proxy

import "testing"

// byNetHTTP has proxies that tests start do without our own fronts and pools.
var byNetHTTP bool

// TestByNetHTTP: what clients of HTTP/2 and gRPC get does not depend on whose server
// they are served by.
func TestByNetHTTP(t *testing.T) {
	byNetHTTP = true
	defer func() { byNetHTTP = false }()
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"carries", TestHTTP2Carries}, {"full duplex", TestHTTP2FullDuplex},
		{"broken answer", TestF149BrokenAnswerResetsItsStream}, {"reset flood", TestF161ResetFlood},
		{"drain", TestHTTP2Drain}, {"more requests than streams", TestHTTP2MoreRequestsThanStreams},
		{"stalled reader", TestHTTP2StalledReaderIsGivenUp}, {"size of heads", TestF163HeadsOfHTTP2},
		{"TLS", TestTLSSpeaksWhatWasAgreed}, {"client certificates", TestTLSClientCertificates},
		{"gRPC over TLS", TestGRPCOverTLS}, {"gRPC unary", TestGRPCUnary}, {"gRPC streams", TestGRPCStreams},
		{"gRPC status", TestGRPCStatusIsUnderstood}, {"gRPC third hop", TestGRPCDeadlineAtTheThirdHop},
		{"gRPC deadline", TestGRPCDeadlineIsOurs}, {"gRPC reflection", TestGRPCReflectionPasses},
		{"gRPC hedge", TestGRPCHedge}, {"gRPC refusals", TestGRPCRefusals}, {"gRPC broken off", TestGRPCBrokenOff},
		{"gRPC behind the door", TestGRPCBehindTheDoor}, {"gRPC health", TestGRPCHealthPasses},
	} {
		t.Run(test.name, test.run)
	}
}
