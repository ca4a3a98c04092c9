package sim

import (
	"testing"

	"github.com/seakeep/seakeep/config"
)

// A tied call has no copy here, and a hedge that is not tied stays.
func TestTiedCallsHaveNoCopies(t *testing.T) {
	for hedge, want := range map[string]bool{"{tied: true}": false, "{after: 1ms}": true} {
		f, err := config.Parse("f", []byte("version: 1\nservice: s\ndependencies:\n  d: {hedge: "+hedge+
			", operations: [{name: o, match: {path: /o}}]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"d", "d/o"} {
			cfg, _, err := settings(f, name)
			if err != nil || (cfg.Hedge != nil) != want {
				t.Errorf("%s of %s: the hedge is %+v, %v", name, hedge, cfg.Hedge, err)
			}
		}
	}
}
