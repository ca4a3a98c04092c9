module github.com/seakeep/seakeep/bench

go 1.26.0

require (
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/seakeep/seakeep v0.0.0
	github.com/sony/gobreaker/v2 v2.4.0
	golang.org/x/sync v0.25.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/influxdata/tdigest v0.0.1 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
)
