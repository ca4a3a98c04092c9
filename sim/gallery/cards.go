package gallery

import "slices"

// Cards returns every card, in the order of the sections that they come from.
func Cards() []Entry {
	return slices.Concat(little(), timeouts(), retries(), breakers(), checkouts(), isolation(), tails(),
		availability(), literature(), overloads())
}
