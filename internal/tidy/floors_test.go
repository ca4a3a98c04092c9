package tidy

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// top is the floor of packages that may import everything and that nobody may
// import.
const top = 12

// floors is the architecture: each package's floor, by folder. A package may
// import only lower floors. docs/architecture.md explains them.
var floors = map[string]int{
	"core": 0,

	"core/window":   1,
	"core/budget":   1,
	"core/deadline": 1,
	"core/retry":    1,
	"core/stale":    1,
	"core/fault":    1,
	"core/shard":    1,

	"core/breaker":     2,
	"core/limit":       2,
	"core/throttle":    2,
	"core/hedge":       2,
	"core/outlier":     2,
	"core/health":      2,
	"core/idempotency": 2,
	"core/slo":         2,
	"core/queue":       2,
	"core/quota":       2,
	"core/failover":    2,

	"core/bulkhead": 3,
	"core/shed":     3,
	"core/degrade":  3,
	"core/balance":  3,

	"core/call":  4,
	"core/serve": 4,

	"config":    5,
	"telemetry": 5,

	".":              6, // the library: package seakeep
	"sim":            6,
	"config/foreign": 6,

	"internal/mt19937": 1,
	"internal/race":    0,
	"internal/problem": 6,

	"internal/grpchealth": 0,
	"internal/grpcstatus": 2,
	"internal/incoming":   6,
	"internal/certs":      1,
	"internal/certtest":   0,
	"internal/promtest":   0,
	"internal/h2peer":     0,
	"internal/connpool":   6,

	"sim/stats":   1,
	"sim/study":   7,
	"sim/search":  7,
	"sim/gallery": 7,

	"seakeephttp":    7,
	"adapters/grpc":  7,
	"adapters/otel":  7,
	"adapters/redis": 7,
	"adapters/nats":  7,
	"adapters/sql":   7,
	"adapters/bolt":  7,

	"adapters/prometheus": 7,

	"seakeeptest": 8,

	"cmd/seakeep/wire":         6,
	"cmd/seakeep/upstream":     7,
	"cmd/seakeep/h1":           7,
	"cmd/seakeep/h2":           7,
	"cmd/seakeep/presets":      8,
	"cmd/seakeep/load":         9,
	"cmd/seakeep/review":       8,
	"cmd/seakeep/explore":      8,
	"cmd/seakeep/review/check": 8,
	"cmd/seakeep/tune":         10,
	"cmd/seakeep/simulate":     8,
	"cmd/seakeep/proxy":        8,
	"cmd/seakeep/fleet":        8,

	"cmd/seakeep/promrules": 7,
	"cmd/seakeep/alerts":    8,
	"cmd/seakeep/board":     8,

	"cmd/seakeep/demo/live":     8,
	"cmd/seakeep/review/prove":  9,
	"cmd/seakeep/demo":          10,
	"cmd/seakeep/demo/overload": 9,
	"cmd/seakeep/demo/tail":     9,
	"cmd/seakeep/dashboard":     9,
	"cmd/seakeep/top":           9,

	"cmd/seakeep/dashboard/schema": 5,
	"cmd/seakeep/curves":           1,

	"cmd/seakeep/lab":        9,
	"cmd/seakeep/lab/engine": 10,

	"cmd/seakeep": 11,

	"bench":                top,
	"bench/proxy":          top,
	"internal/conformance": top,
	"internal/promcheck":   top,
	"internal/simcheck":    top,
	"internal/golden":      top,
	"internal/tidy":        top,
}

// floorOf returns the floor of the package in dir. Examples are programs.
func floorOf(dir string) (floor int, ok bool) {
	if below(dir, "examples") {
		return top, true
	}
	floor, ok = floors[dir]
	return floor, ok
}

// folderOf maps an import path to the folder it lives in here.
func folderOf(importPath string) (dir string, ours bool) {
	if importPath == modulePath {
		return ".", true
	}
	dir, ours = strings.CutPrefix(importPath, modulePath+"/")
	return dir, ours
}

// checkFloors judges the product's files. A test may reach up, for example to
// show a policy at work in the whole ladder; Go itself refuses a cycle.
func checkFloors(r *repo) (found []finding) {
	packages := r.packages()
	for _, dir := range sortedKeys(packages) {
		floor, ok := floorOf(dir)
		if !ok {
			found = append(found, finding{subject: dir,
				problem: "is on no floor: add it to floors in internal/tidy/floors_test.go " +
					"and to the table in docs/architecture.md"})
			continue
		}
		for _, s := range packages[dir] {
			if !s.isTest() {
				found = append(found, s.highImports(floor)...)
			}
		}
	}
	return found
}

func (s *source) highImports(floor int) (found []finding) {
	imports := s.imports()
	for _, name := range sortedKeys(imports) {
		dir, ours := folderOf(name)
		if !ours {
			continue
		}
		f := s.at(imports[name])
		other, ok := floorOf(dir)
		switch {
		case !ok:
			f.problem = "imports " + dir + ", which is on no floor"
		case other >= floor:
			f.problem = fmt.Sprintf("is on floor %d and imports %s on floor %d: only lower floors "+
				"may be imported, so pass in a value or move the code down", floor, dir, other)
		default:
			continue
		}
		found = append(found, f)
	}
	return found
}

// floorRow is a row of the table in docs/architecture.md.
var floorRow = regexp.MustCompile("(?m)^\\| *(\\d+) *\\| *`([^`]+)`")

// checkFloorsTable holds the table that people read against the one above.
func checkFloorsTable(r *repo) (found []finding) {
	const page = "docs/architecture.md"
	add := func(format string, args ...any) {
		found = append(found, finding{subject: page, problem: fmt.Sprintf(format, args...)})
	}
	told := map[string]bool{}
	for _, row := range floorRow.FindAllStringSubmatch(r.texts[page], -1) {
		dir := row[2]
		if dir == "seakeep" {
			dir = "." // the library is known by its name and not by its folder
		}
		told[dir] = true
		if floor, ok := floorOf(dir); !ok || fmt.Sprint(floor) != row[1] {
			add("puts %s on floor %s; internal/tidy/floors_test.go does not", row[2], row[1])
		}
	}
	packages := r.packages()
	for _, dir := range sortedKeys(packages) {
		if floor, ok := floorOf(dir); ok && floor < top && !told[dir] && hasProduct(packages[dir]) {
			add("has no row for %s in its table of floors", dir)
		}
	}
	return found
}

func hasProduct(sources []*source) bool {
	for _, s := range sources {
		if !s.isTest() {
			return true
		}
	}
	return false
}

func TestFloorsCatch(t *testing.T) {
	const low = "package breaker\nimport _ \"github.com/seakeep/seakeep/core/window\"\n"
	expect(t, checkFloors(repoOf(t, map[string]string{"core/breaker/a.go": low})))

	const same = "package breaker\nimport _ \"github.com/seakeep/seakeep/core/hedge\"\n"
	expect(t, checkFloors(repoOf(t, map[string]string{"core/breaker/a.go": same})),
		"core/breaker/a.go:2: is on floor 2 and imports core/hedge on floor 2")
	expect(t, checkFloors(repoOf(t, map[string]string{"core/breaker/a_test.go": same})))

	const up = "package proxy\nimport _ \"github.com/seakeep/seakeep/cmd/seakeep\"\n"
	expect(t, checkFloors(repoOf(t, map[string]string{"cmd/seakeep/proxy/a.go": up})),
		"imports cmd/seakeep on floor 11")

	const library = "package call\nimport _ \"github.com/seakeep/seakeep\"\n"
	expect(t, checkFloors(repoOf(t, map[string]string{"core/call/a.go": library})),
		"imports . on floor 6")

	const ghost = "package call\nimport _ \"github.com/seakeep/seakeep/core/ghost\"\n"
	expect(t, checkFloors(repoOf(t, map[string]string{"core/call/a.go": ghost})),
		"core/ghost, which is on no floor")
	expect(t, checkFloors(repoOf(t, map[string]string{"core/novel/a.go": "package novel\n"})),
		"core/novel: is on no floor: add it to floors")
	expect(t, checkFloors(repoOf(t, map[string]string{"examples/web/main.go": library})))
}

func TestFloorsTableCatches(t *testing.T) {
	repoWith := func(table string) *repo {
		return repoOf(t, map[string]string{
			"core/doc.go":          "package core\n",
			"doc.go":               "package seakeep\n",
			"bench/doc.go":         "package bench\n",
			"docs/architecture.md": table,
		})
	}
	expect(t, checkFloorsTable(repoWith("| 0 | `core` | words |\n| 6 | `seakeep` | driver |\n")))
	expect(t, checkFloorsTable(repoWith("| 1 | `core` | words |\n")),
		"puts core on floor 1", "has no row for .")
	const right = "| 0 | `core` |\n| 6 | `seakeep` |\n"
	expect(t, checkFloorsTable(repoWith(right+"| 3 | `core/gone` |\n")),
		"puts core/gone on floor 3")
}
