module github.com/seakeep/seakeep/adapters/bolt

go 1.26

require (
	github.com/seakeep/seakeep v0.0.0
	go.etcd.io/bbolt v1.5.0
)

require (
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
