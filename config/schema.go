package config

import (
	"bytes"
	_ "embed" // for schema.json
)

//go:embed schema.json
var schema []byte

// Schema returns the grammar of the policy file as a JSON Schema, for editors.
// It is of draft-07, the newest that they commonly know. It sees less than
// Parse: no bound on a time, and no two settings together.
func Schema() []byte { return bytes.Clone(schema) }
