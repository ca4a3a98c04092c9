package main

import (
	"context"
	"fmt"
	"os"

	"github.com/seakeep/seakeep/cmd/seakeep/simulate"
	"github.com/seakeep/seakeep/config"
)

func main() {
	s, err := config.LoadScenario(os.Args[1])
	if err != nil {
		panic(err)
	}
	r, err := simulate.Run(context.Background(), simulate.Question{File: os.Args[1], Scenario: s, Why: true, Page: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.WriteText(os.Stdout, simulate.Style{}), r.WriteJSON(os.Stdout), r.WriteCSV(os.Stdout), r.WriteHTML(os.Stdout))
	fmt.Println(simulate.WriteTrace(os.Stdout, s))
}
