package config

import (
	"fmt"
	"os"
	"testing"
)

func TestZ(t *testing.T) {
	for _, p := range []string{"/tmp/cfgscratch/a.yaml", "/tmp/cfgscratch/b.yaml"} {
		data, _ := os.ReadFile(p)
		f, err := Parse("seakeep.yaml", data)
		if err != nil {
			for _, e := range err.(Errors) {
				fmt.Println(e)
				fmt.Print(Snippet(data, e.Line, e.Column))
			}
			continue
		}
		f.WriteEffective(os.Stdout)
		for _, w := range f.Warnings() {
			fmt.Println(w)
		}
	}
}
