package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// limits bound a value. What a message says about them is made from them.
type limits[T cmp.Ordered] struct {
	min, max T
	like     string // an example, as the file would have it
	off      string // how a zero default shows in Effective; "": as the number
}

func within[T cmp.Ordered](lowest, highest T, like string) limits[T] {
	return limits[T]{min: lowest, max: highest, like: like}
}

// kind is how a type of value is read, shown and named.
type kind[T cmp.Ordered] struct {
	name  string // "a time"
	parse func(text string) (T, string)
	show  func(T) string
	quote bool // the value may be written in quotes
}

var (
	durations = kind[time.Duration]{"a time", parseDuration, showDuration, true}
	shares    = kind[float64]{"a share", parseShare, showShare, true}
	rates     = kind[float64]{"a rate", parseRate, showRate, true}
	sizes     = kind[int64]{"a size", parseSize, showSize, true}
	integers  = kind[int]{"a whole number", parseInteger, strconv.Itoa, false}
	factors   = kind[float64]{"a number", parseFactor, showFactor, false}
)

// scalarOf reads f as one value of a kind within limits.
func scalarOf[T cmp.Ordered](f *field, k kind[T], l limits[T]) (v T, ok bool) {
	fix := l.say(k)
	text, ok := f.scalar(k.name, fix)
	if !ok {
		return v, false
	}
	if !k.quote && f.quoted() {
		f.fail(quote(f.node)+" is text", "write it without quotes, such as "+l.like)
		return v, false
	}
	v, problem := k.parse(text)
	switch {
	case problem == "" && v < l.min:
		problem = fmt.Sprintf("is below %s", k.show(l.min))
	case problem == "" && v > l.max:
		problem = fmt.Sprintf("is above %s", k.show(l.max))
	}
	if problem != "" {
		f.fail(quote(f.node)+" "+problem, fix)
		return v, false
	}
	return v, true
}

// say is how to mend a value out of limits.
func (l limits[T]) say(k kind[T]) string {
	return fmt.Sprintf("give %s from %s to %s, such as %s",
		k.name, k.show(l.min), k.show(l.max), l.like)
}

// read reads key into out, which holds its default.
func read[T cmp.Ordered](o *object, key string, out *T, k kind[T], l limits[T]) {
	f := o.find(key)
	if f != nil {
		if v, ok := scalarOf(f, k, l); ok {
			*out = v
		}
	}
	var zero T
	if f == nil && *out == zero && l.off != "" {
		o.note(key, nil, l.off)
		return
	}
	o.note(key, f, k.show(*out))
}

func (o *object) duration(key string, out *time.Duration, l limits[time.Duration]) {
	read(o, key, out, durations, l)
}

func (o *object) share(key string, out *float64, l limits[float64]) { read(o, key, out, shares, l) }

func (o *object) rate(key string, out *float64, l limits[float64]) { read(o, key, out, rates, l) }

func (o *object) size(key string, out *int64, l limits[int64]) { read(o, key, out, sizes, l) }

func (o *object) integer(key string, out *int, l limits[int]) { read(o, key, out, integers, l) }

func (o *object) factor(key string, out *float64, l limits[float64]) {
	read(o, key, out, factors, l)
}

// boolean reads true or false.
func (o *object) boolean(key string, out *bool) {
	f := o.find(key)
	if f != nil {
		if text, ok := f.scalar("true or false", "give true or false"); ok {
			switch {
			case f.node.ShortTag() == "!!bool":
				*out = strings.EqualFold(text, "true")
			default:
				f.fail(quote(f.node)+" is neither true nor false",
					"write true or false, without quotes")
			}
		}
	}
	o.note(key, f, strconv.FormatBool(*out))
}

// text reads a string that must match form; want describes one that does.
func (o *object) text(key string, out *string, form *regexp.Regexp, want string) *field {
	f := o.find(key)
	if f != nil {
		if v, ok := textOf(f, form, want); ok {
			*out = v
		}
	}
	return f
}

func textOf(f *field, form *regexp.Regexp, want string) (string, bool) {
	text, ok := f.scalar("text", "give "+want)
	if !ok {
		return "", false
	}
	switch f.node.ShortTag() {
	case "!!int", "!!float", "!!bool":
		fix := "give " + want
		if form == nil && strings.HasPrefix(want, "text") || form != nil && form.MatchString(text) {
			fix = "put it in quotes"
		}
		f.fail(quote(f.node)+" is not text", fix)
		return "", false
	}
	if form != nil && !form.MatchString(text) {
		f.fail(quote(f.node)+" cannot be used", "give "+want)
		return "", false
	}
	return text, true
}

// option is one of the words a key may have.
type option[T any] struct {
	word  string
	value T
}

// choose reads one of a few words into out, which holds its default.
func choose[T comparable](o *object, key string, out *T, options ...option[T]) {
	f := o.find(key)
	if f != nil {
		if v, ok := optionOf(f, options); ok {
			*out = v
		}
	}
	for _, opt := range options {
		if opt.value == *out {
			o.note(key, f, opt.word)
			return
		}
	}
}

func optionOf[T any](f *field, options []option[T]) (v T, ok bool) {
	words := make([]string, len(options))
	for i, opt := range options {
		words[i] = opt.word
	}
	fix := "use " + either(words)
	text, ok := f.scalar("a word", fix)
	if !ok {
		return v, false
	}
	if i := slices.Index(words, text); i >= 0 {
		return options[i].value, true
	}
	if near := nearest(text, words); near != "" {
		fix = fmt.Sprintf("did you mean %s? (%s)", near, strings.Join(words, ", "))
	}
	f.fail(quote(f.node)+" is not known here", fix)
	return v, false
}

// scalar returns the text of f. name is what should stand there.
func (f *field) scalar(name, fix string) (string, bool) {
	switch {
	case f.node.Kind != yaml.ScalarNode:
		f.fail(describe(f.node)+" where "+name+" should be", fix)
		return "", false
	case f.node.ShortTag() == "!!null":
		f.fail("has no value", fix+", or leave the key out")
		return "", false
	}
	return f.node.Value, true
}

func (f *field) quoted() bool {
	return f.node.Kind == yaml.ScalarNode &&
		f.node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
}

// is reports whether f is the given bare word.
func (f *field) is(word string) bool {
	return f != nil && f.node.Kind == yaml.ScalarNode && f.node.Value == word
}

func parseInteger(text string) (int, string) {
	if !integerForm.MatchString(text) {
		if strings.HasPrefix(text, "-") && integerForm.MatchString(text[1:]) {
			return 0, "is negative"
		}
		return 0, "is not a whole number"
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, "is too large"
	}
	return n, ""
}

func parseFactor(text string) (float64, string) {
	v, err := strconv.ParseFloat(text, 64)
	if !fractionForm.MatchString(text) || err != nil {
		return 0, "is not a plain number"
	}
	return v, ""
}

func showFactor(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

// either lists words for a sentence: "a, b or c".
func either(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
