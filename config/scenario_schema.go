package config

import (
	"bytes"
	_ "embed" // for scenario.schema.json
)

//go:embed scenario.schema.json
var scenarioSchema []byte

// ScenarioSchema returns the grammar of the scenario file as a JSON Schema, for
// editors, of draft-07 like Schema. It sees less than ParseScenario: no names,
// no bound on a time, and few settings together.
func ScenarioSchema() []byte { return bytes.Clone(scenarioSchema) }
