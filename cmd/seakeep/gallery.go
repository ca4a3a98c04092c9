package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/sim/gallery"
)

const galleryLong = `Runs the reproduction gallery: figures that others have published about overload,
retries and breakers, beside what Seakeep's own policies and event engine give,
with intervals. With --only it shows every figure of the named cards.

A verdict is "match" if all figures of a card are within their tolerance,
"differs, because ..." if one is not, and "missing" if the policy that the card
is about does not exist yet. The exit status is 1 if a card differs.

The same seed gives the same cards, to the byte.`

// galleryFlags are the flags of "sim gallery".
type galleryFlags struct {
	json    bool
	only    []string
	options gallery.Options

	chosen []gallery.Entry
}

func newSimGalleryCommand() *cobra.Command {
	var f galleryFlags
	c := &cobra.Command{
		Use:   "gallery",
		Short: "Put published figures beside our own",
		Long:  galleryLong,
		Example: "  seakeep sim gallery\n  seakeep sim gallery --only TRY4,3.3\n" +
			"  seakeep sim gallery --json >gallery.json",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout()) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.BoolVar(&f.json, "json", false, "print the cards as JSON")
	flags.StringSliceVar(&f.only, "only", nil,
		"IDs of cards, with commas between them; 2.11 stands for all that begin with 2.11-")
	flags.Uint64Var(&f.options.Seed, "seed", 1, "of the random numbers")
	flags.IntVar(&f.options.Runs, "runs", 0,
		"replications of each simulated figure, at least 2; 0: as many as each card needs")
	return c
}

func (f *galleryFlags) check() (err error) {
	if f.options.Runs < 0 || f.options.Runs == 1 {
		return errors.New("--runs: give at least 2, because one run has no interval, or 0")
	}
	if f.chosen, err = gallery.Choose(f.only...); err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	return nil
}

// run prints each card as soon as it is there, because the whole gallery takes a
// while.
func (f *galleryFlags) run(w io.Writer) error {
	var cards []gallery.Card
	differ := 0
	for _, e := range f.chosen {
		c := e.Run(f.options)
		cards = append(cards, c)
		if !c.Matches() && !c.Missing() {
			differ++
		}
		if f.json {
			continue
		}
		line := cardLine
		if len(f.only) > 0 {
			line = cardText
		}
		if _, err := io.WriteString(w, line(&c)); err != nil {
			return err
		}
	}
	if err := f.close(w, cards, differ); err != nil {
		return err
	}
	if differ > 0 {
		return fmt.Errorf("%s", plural(differ, "card differs", "cards differ"))
	}
	return nil
}

// close prints what comes after the cards.
func (f *galleryFlags) close(w io.Writer, cards []gallery.Card, differ int) error {
	if f.json {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(cards)
	}
	missing := 0
	for i := range cards {
		if cards[i].Missing() {
			missing++
		}
	}
	_, err := fmt.Fprintf(w, "%d match, %s, %d missing\n", len(cards)-differ-missing,
		plural(differ, "differs", "differ"), missing)
	return err
}

// cardLine is a card in one line.
func cardLine(c *gallery.Card) string {
	word, _, _ := strings.Cut(c.Verdict, " ")
	return fmt.Sprintf("%s %s %s\n", padded(c.ID, 13), padded(strings.Trim(word, ",:;"), 8), c.Title)
}

// cardText is a card with all its figures.
func cardText(c *gallery.Card) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n%s\n\n", c.ID, c.Title, wrapped(c.Setup, 90, "  "))
	widths := [3]int{4, 9, 4}
	for _, f := range c.Figures {
		for i, cell := range figureCells(f) {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	row := func(mark, name, published, ours, interval string) {
		line := fmt.Sprintf("  %s %s  %s  %s  %s", mark, padded(name, widths[0]),
			padded(published, widths[1]), padded(ours, widths[2]), interval)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row(" ", "", "published", "ours", "95 % interval")
	for _, f := range c.Figures {
		mark := " "
		if !f.Match && !c.Missing() {
			mark = "!"
		}
		row(mark, f.Name, f.Published, f.Ours, f.Interval)
	}
	fmt.Fprintf(&b, "\n%s\n", wrapped(c.Verdict, 90, "  "))
	if c.Note != "" {
		fmt.Fprintf(&b, "%s\n", wrapped(c.Note, 90, "  "))
	}
	fmt.Fprintf(&b, "  %s\n\n", c.Command)
	return b.String()
}

func figureCells(f gallery.Figure) [3]string { return [3]string{f.Name, f.Published, f.Ours} }

// padded fills text up to a width in characters.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// wrapped breaks text into lines of at most a width, each after an indent.
func wrapped(text string, width int, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, indent+line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, indent+line), "\n")
}
