package tidy

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	inlineLink    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	referenceLink = regexp.MustCompile(`^\[[^\]]+\]:\s+<?([^\s>]+)`)
	inlineCode    = regexp.MustCompile("`[^`]*`")
	scheme        = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
)

// prose calls visit for each line of a document that is not code.
func prose(text string, visit func(number int, line string)) {
	number, fence := 0, ""
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		default:
			visit(number, strings.TrimRight(line, "\n"))
		}
	}
}

// checkLinks follows the links between documents and to files. It leaves
// addresses of the world outside alone: a test must not need a network.
func checkLinks(r *repo) (found []finding) {
	for _, file := range sortedKeys(r.texts) {
		if path.Ext(file) != ".md" {
			continue
		}
		prose(r.texts[file], func(number int, line string) {
			line = inlineCode.ReplaceAllString(line, "``")
			links := append(inlineLink.FindAllStringSubmatch(line, -1),
				referenceLink.FindAllStringSubmatch(line, -1)...)
			for _, link := range links {
				if problem := r.followLink(file, link[1]); problem != "" {
					found = append(found, finding{subject: file, line: number, problem: problem})
				}
			}
		})
	}
	return found
}

// followLink says what is wrong with a link in file, or "".
func (r *repo) followLink(file, link string) string {
	if scheme.MatchString(link) {
		return ""
	}
	target, anchor, _ := strings.Cut(link, "#")
	if strings.HasPrefix(target, "/") {
		return "links to " + link + ": make it relative, so that it works in every viewer"
	}
	if target == "" {
		target = file
	} else {
		target = path.Join(path.Dir(file), target)
	}
	if !r.paths[target] {
		return "links to " + link + ", which is not there"
	}
	if anchor == "" || path.Ext(target) != ".md" {
		return ""
	}
	if !slices.Contains(anchors(r.texts[target]), anchor) {
		return "links to " + link + ", but " + target + " has no such heading"
	}
	return ""
}

// anchors returns the names that viewers give to a document's headings.
func anchors(text string) (names []string) {
	prose(text, func(_ int, line string) {
		heading := strings.TrimLeft(line, "#")
		level := len(line) - len(heading)
		if level == 0 || level > 6 || !strings.HasPrefix(heading, " ") {
			return
		}
		name := strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case c == '-', c == '_', unicode.IsLetter(c), unicode.IsDigit(c):
				return unicode.ToLower(c)
			}
			return -1
		}, strings.TrimSpace(heading))
		same := name
		for i := 1; slices.Contains(names, name); i++ {
			name = fmt.Sprintf("%s-%d", same, i)
		}
		names = append(names, name)
	})
	return names
}

func TestLinksCatch(t *testing.T) {
	page := func(text string) *repo {
		return repoOf(t, map[string]string{
			"docs/a.md": text,
			"docs/b.md": "# Big `Thing`, twice\n# Twice\n# Twice\n",
			"core/a.go": "package core\n",
		})
	}
	for _, good := range []string{
		"[b](b.md)", `[b](b.md "title")`, "[b][1]\n\n[1]: b.md",
		"[c](../core)", "[c](../core/a.go)",
		"[w](https://a.org/x)", "[m](mailto:a@b.org)",
		"[b](b.md#big-thing-twice)", "[b](b.md#twice-1)", "# Here\n[h](#here)",
		"`[x](gone.md)`", "```\n[x](gone.md)\n```",
	} {
		expect(t, checkLinks(page(good)))
	}
	expect(t, checkLinks(page("text\n[x](gone.md), [b](b.md)")),
		"docs/a.md:2: links to gone.md, which is not there")
	expect(t, checkLinks(page("[x](a/../../b.md)")), "not there")
	expect(t, checkLinks(page("![x](gone.png)")), "not there")
	expect(t, checkLinks(page("[1]: gone.md")), "not there")
	expect(t, checkLinks(page("[b](b.md#gone)")), "docs/b.md has no such heading")
	expect(t, checkLinks(page("[b](#gone)")), "no such heading")
	expect(t, checkLinks(page("[b](/docs/b.md)")), "make it relative")
	expect(t, checkLinks(page("```\ncode\n```\n[x](gone.md)")), "docs/a.md:4")
}
