package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonReader reads JSON token by token, because only so are keys that are
// written twice, and the lines, to be seen.
type jsonReader struct {
	grower
	data []byte
	dec  *json.Decoder
	seen int64 // bytes whose lines are counted
	line int
}

func readJSON(data []byte) (*node, error) {
	r := &jsonReader{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err == nil {
		if _, end := r.dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows after the value")
		}
	}
	if err != nil {
		if errors.Is(err, errTooMany) || errors.Is(err, errTooDeep) {
			return nil, err
		}
		return nil, fmt.Errorf("line %d: not JSON: %w", r.at(), err)
	}
	return root, nil
}

// at is the line that the decoder has come to.
func (r *jsonReader) at() int {
	now := min(r.dec.InputOffset(), int64(len(r.data)))
	r.line += bytes.Count(r.data[r.seen:now], []byte{'\n'})
	r.seen = now
	return r.line
}

func (r *jsonReader) value(depth int) (*node, error) {
	token, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if err := r.grow(depth); err != nil {
		return nil, err
	}
	n := &node{line: r.at()}
	switch token := token.(type) {
	case json.Delim:
		n.kind = list
		if token == '{' {
			n.kind = mapping
		}
		return n, r.inside(n, depth)
	case nil:
		n.null = true
	default:
		n.text = fmt.Sprint(token)
	}
	return n, nil
}

// inside reads what a list or an object holds, and its end.
func (r *jsonReader) inside(n *node, depth int) error {
	for r.dec.More() {
		key, line := "", 0
		if n.kind == mapping {
			token, err := r.dec.Token()
			if err != nil {
				return err
			}
			key, line = token.(string), r.at()
		}
		kid, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		if n.kind == mapping {
			kid.key, kid.line = key, line
		}
		n.add(kid)
	}
	_, err := r.dec.Token()
	return err
}
