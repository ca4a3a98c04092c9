package gallery

import "time"

// availability holds the cards on availability and service level objectives.
func availability() []Entry {
	return []Entry{
		{ID: "S1", Kind: Analytic, Title: "Four dependencies in series", run: s1},
		{ID: "S2", Kind: Analytic, Title: "99.9 % over 30 days", run: s2},
		{ID: "S3", Kind: Analytic, Title: "99.95 % over 30 days", run: s3},
		{ID: "S4", Kind: Analytic, Title: "What each objective allows", run: s4},
		{ID: "S5", Kind: Analytic, Title: "A further nine", run: s5},
		{ID: "S6", Kind: Published, Title: "The drill's objective", run: s6},
	}
}

const (
	month = 30 * 24 * time.Hour
	year  = 365 * 24 * time.Hour
)

// down is the time an objective in per cent allows to be lost.
func down(objective float64, of time.Duration) float64 { return (100 - objective) / 100 * of.Seconds() }

func s1(s *sheet) {
	s.Setup = "A page that needs four dependencies of 99.9 % each; a month of 730 hours."
	all := 100 * power(0.999, 4)
	s.rounds("available", known{99.6006, 4, "%"}, all)
	const hours = 730 * time.Hour
	s.rounds("lost in a month", known{2.92, 2, "h"}, down(all, hours)/3600)
	s.rounds("with one", known{43.8, 1, "min"}, down(99.9, hours)/60)
}

func s2(s *sheet) {
	s.Setup = "A month of 30 days."
	s.rounds("lost", known{43.2, 1, "min"}, down(99.9, month)/60)
}

func s3(s *sheet) {
	s.Setup = "A month of 30 days."
	s.rounds("lost", known{21.6, 1, "min"}, down(99.95, month)/60)
}

func s4(s *sheet) {
	s.Setup = "30 and 365 days."
	for _, row := range []struct {
		objective     string
		value         float64
		month, year   known
		monthS, yearS float64 // the units in seconds
	}{
		{"99 %", 99, known{432, 0, "min"}, known{87.6, 1, "h"}, 60, 3600},
		{"99.5 %", 99.5, known{216, 0, "min"}, known{43.8, 1, "h"}, 60, 3600},
		{"99.9 %", 99.9, known{43.2, 1, "min"}, known{8.76, 2, "h"}, 60, 3600},
		{"99.95 %", 99.95, known{21.6, 1, "min"}, known{4.38, 2, "h"}, 60, 3600},
		{"99.99 %", 99.99, known{4.32, 2, "min"}, known{52.6, 1, "min"}, 60, 60},
		{"99.999 %", 99.999, known{25.9, 1, "s"}, known{5.26, 2, "min"}, 1, 60},
	} {
		s.rounds(row.objective+" a month", row.month, down(row.value, month)/row.monthS)
		s.rounds(row.objective+" a year", row.year, down(row.value, year)/row.yearS)
	}
}

func s5(s *sheet) {
	s.Setup = "The brief says that each further nine costs about ten times as much. What can " +
		"be computed is what it leaves."
	s.rounds("time allowed at 99.9 % against 99.99 %", known{10, 0, "times"},
		down(99.9, month)/down(99.99, month))
	s.Note = "That the cost rises alike is a claim, and no formula of ours shows it."
}

func s6(s *sheet) {
	s.Setup = "Checkout succeeds in 99.95 % with a p99 below 2.5 s, measured at the client."
	s.lacks = "it is an objective and no result; testdata/scenarios/drill.yaml keeps it through four outages"
	s.absent("success", "99.95 %")
	s.absent("p99", "2.5 s")
}

// absent puts a published figure on the card that we have nothing beside.
func (s *sheet) absent(name, published string) { s.add(Figure{Name: name, Published: published}) }
