package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

// mostTail is how much of the end of a file is read: more than keptOrders lines
// of a usual length.
const mostTail = 1 << 20

// restore shows again what was written down before this process began: of the
// file, and of the one before it if that is needed. It returns whether the file
// ends in the middle of a line, as after a crash.
func (a *audit) restore() (torn bool, err error) {
	latest, torn, err := tail(a.path)
	if err != nil {
		return false, err
	}
	var before []schema.Event
	if len(latest) < keptOrders {
		before, _, err = tail(a.path + ".1")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	for _, e := range append(before, latest...) {
		a.orders.push(e)
	}
	return torn, err
}

// tail reads the orders at the end of a file. A line that is cut off or is
// something else is left out.
func tail(path string) (all []schema.Event, torn bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	from := max(info.Size()-mostTail, 0)
	text, err := io.ReadAll(io.NewSectionReader(file, from, mostTail))
	if err != nil {
		return nil, false, err
	}
	if from > 0 { // begins within a line
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	for line := range bytes.Lines(text) {
		var e schema.Event
		if json.Unmarshal(line, &e) == nil && e.Kind == schema.KindLever {
			all = append(all, e)
		}
		torn = line[len(line)-1] != '\n'
	}
	return all, torn, nil
}
