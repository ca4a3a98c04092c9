package foreign

import (
	"regexp"
	"strconv"
	"time"
)

// OpenSLO translates objectives of OpenSLO v1, in YAML or JSON, one document or
// several. Each target of an SLO becomes an objective that is counted at the
// door, because its query belongs to another program. Service is the name of the
// service; if it is empty, that of the first SLO is taken.
func OpenSLO(data []byte, service string) (*Translation, error) {
	t, err := begin("OpenSLO", service, data, readFragments)
	if err != nil {
		return nil, err
	}
	t.why = openSLOReasons
	o := &openSLO{translation: t, conditions: map[string]*node{}, policies: map[string]*node{}}
	docs := []*node{t.root}
	if t.root.kind == list {
		docs = t.root.kids
	}
	var name *node
	for _, doc := range docs {
		o.collect(doc)
		if isKind(doc, "slo") && name == nil {
			name = doc.section("spec").get("service")
		}
	}
	t.service(service, name)
	for _, doc := range docs {
		switch {
		case isKind(doc, "slo"):
			o.objectives(doc)
			doc.section("spec").scalar("service").note(Mapped, target{t.doc, "service"}, "")
		case isKind(doc, "service"), isKind(doc, "datasource"), isKind(doc, "alertnotificationtarget"):
			doc.drop("says who runs it, where data comes from or who is told; nothing here needs it")
		}
	}
	if o.made > 0 {
		t.doc.fill("serve", "{}", "objectives are counted at the door; give listen and upstream, or at: beacon")
		t.deps = &block{items: []*item{{}}} // there is something to write
	}
	t.doc.order("version", "service", "serve", "slo")
	return t.finish()
}

// openSLO is a translation of objectives.
type openSLO struct {
	*translation
	conditions, policies map[string]*node // specs, by the name of their documents
	made                 int
}

var openSLOReasons = map[string]string{
	"indicator":           "its query belongs to another program; events are counted at the door",
	"indicatorref":        "its query belongs to another program; events are counted at the door",
	"description":         "is for people; keep it as a comment",
	"displayname":         "is for people; keep it as a comment",
	"labels":              "nothing here has labels",
	"annotations":         "nothing here has annotations",
	"notificationtargets": "who is told is Alertmanager's to say",
	"compositeweight":     "an objective here is no mean of others",
	"timeslicetarget":     "events are counted, and no slices of time",
	"timeslicewindow":     "events are counted, and no slices of time",
	"op":                  "what is measured is not ours; give latency if it is one",
	"value":               "what is measured is not ours; give latency if it is one",
	"alertwhennodata":     "that counters are gone is an alert in any case",
	"alertwhenresolved":   "who is told is Alertmanager's to say",
	"alertwhenbreaching":  "an alert that does not fire is none",
	"isrolling":           "says what duration says",
	"starttime":           "a calendar window here begins with its week, month or quarter",
	"kind":                "says what the document is",
	"apiversion":          "says what the document is",
	"metadata":            "names what is not used here",
	"spec":                "is not used here",
}

func isKind(doc *node, kind string) bool {
	k := doc.scalar("kind")
	return k != nil && fold(k.text) == kind && doc.section("spec") != nil
}

// collect keeps what SLOs may refer to.
func (o *openSLO) collect(doc *node) {
	name := doc.section("metadata").scalar("name").says()
	switch {
	case isKind(doc, "alertcondition"):
		o.conditions[name] = doc.section("spec")
	case isKind(doc, "alertpolicy"):
		o.policies[name] = doc.section("spec")
	}
}

// objectives writes those of a document.
func (o *openSLO) objectives(doc *node) {
	spec := doc.section("spec")
	for i, target := range spec.items("objectives") {
		if o.made >= 100 {
			target.drop("a policy file has at most 100 objectives; import the others in another file")
			continue
		}
		o.objective(doc, target, i)
	}
}

func (o *openSLO) objective(doc, target *node, i int) {
	spec, meta := doc.section("spec"), doc.section("metadata")
	share, from, ok := targetOf(target)
	if !ok {
		target.drop("has no target between 1% and 99.9999%, and a budget needs one")
		return
	}
	name, same := cleanName(meta.scalar("name").says())
	fate, note := sameName(same)
	if i > 0 {
		name, fate, note = name+"-"+strconv.Itoa(i+1), Approximated, "one of several targets"
	}
	name = o.used.unique(name)
	o.made++
	b := o.doc.element("slo", name)
	if n := meta.scalar("name"); n != nil && i == 0 {
		b.put("name", showName(name), origin{n: n, fate: fate, note: note})
	} else {
		b.fill("name", showName(name), note)
	}
	b.put("objective", showPercent(share), origin{n: from})
	o.window(b, spec)
	if n := spec.scalar("budgetingMethod"); n != nil && fold(n.text) == "occurrences" {
		n.note(Mapped, goalOf(b), "")
	} else if n != nil {
		n.note(Approximated, goalOf(b), "events are counted, and no slices of time")
	}
	o.alerts(b, spec)
}

func goalOf(b *block) target { return target{b, "objective"} }

// targetOf returns the target in percent.
func targetOf(n *node) (percent float64, from *node, ok bool) {
	if t := n.scalar("targetPercent"); t != nil {
		v, ok := parseNumber(t.text)
		return v, t, ok && v >= 1 && v <= 99.9999
	}
	t := n.scalar("target")
	v, ok := parseNumber(t.says())
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v*100, 'g', 10, 64), 64)
	return v, t, ok && v >= 1 && v <= 99.9999
}

var shorthand = regexp.MustCompile(`^([0-9]{1,4})([mhdwMQY])$`)

// spanOf reads OpenSLO's durations, months and quarters as 30 and 91 days.
func spanOf(text string) (d time.Duration, unit string, ok bool) {
	m := shorthand.FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	n, _ := strconv.Atoi(m[1])
	const day = 24 * time.Hour
	length := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": day, "w": 7 * day,
		"M": 30 * day, "Q": 91 * day, "Y": 365 * day}[m[2]]
	return time.Duration(n) * length, m[2], true
}

// showSpan writes a window as the policy file has it.
func showSpan(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return showTime(d)
}

func (o *openSLO) window(b *block, spec *node) {
	for _, w := range spec.items("timeWindow") {
		n := w.scalar("duration")
		d, unit, ok := spanOf(n.says())
		calendar := w.section("calendar")
		switch {
		case !ok:
			n.drop("is no duration such as 30d; the window is 30 days")
		case calendar != nil:
			word := map[string]string{"w": "week", "M": "month", "Q": "quarter"}[unit]
			if word == "" || n.text[0] != '1' || len(n.text) > 2 {
				n.drop("a calendar window is a week, a month or a quarter; the window is 30 days")
				continue
			}
			sub := b.sub("window")
			sub.put("calendar", word, origin{n: n})
			if zone := calendar.scalar("timeZone"); zone != nil {
				if _, err := time.LoadLocation(zone.text); err == nil && zone.text != "Local" && zone.text != "" {
					sub.put("zone", showName(zone.text), origin{n: zone})
				} else {
					zone.drop("is no time zone that is known here; the calendar is that of UTC")
				}
			}
		case b.has("window"):
			n.drop("an objective has one window")
		default:
			v := boundTime(d, time.Hour, 93*24*time.Hour)
			from := v.origin(n)
			b.put("window", showSpan(v.value), from)
		}
	}
}

// alerts writes the pairs of the burn-rate conditions that an SLO names.
func (o *openSLO) alerts(b *block, spec *node) {
	if len(spec.items("alertPolicies")) == 0 {
		b.fill("alerts", "none", "the input has none; leave this out for the usual four")
		return
	}
	period := 30 * 24 * time.Hour
	if it := b.find("window"); it != nil && it.sub == nil {
		if d, _, ok := spanOf(it.value); ok {
			period = d
		}
	}
	for _, p := range spec.items("alertPolicies") {
		policy := p.section("spec")
		if ref := p.scalar("alertPolicyRef"); ref != nil {
			policy = o.policies[ref.text]
			ref.note(Mapped, target{b, "alerts"}, "")
		}
		for _, c := range policy.items("conditions") {
			condition := c.section("spec")
			if ref := c.scalar("conditionRef"); ref != nil {
				condition = o.conditions[ref.text]
				ref.note(Mapped, target{b, "alerts"}, "")
			}
			o.pair(b, condition, period)
		}
	}
}

func (o *openSLO) pair(b *block, spec *node, period time.Duration) {
	c := spec.section("condition")
	factor, okFactor := parseNumber(c.scalar("threshold").says())
	window, _, ok := spanOf(c.scalar("lookbackWindow").says())
	share := 100 * factor * window.Hours() / period.Hours()
	share, _ = strconv.ParseFloat(strconv.FormatFloat(share, 'g', 6, 64), 64)
	if c == nil || !ok || !okFactor || share < 0.01 || share > 100 || window < time.Minute || window > period {
		if c != nil {
			c.drop("is no burn rate over a window of the period")
		}
		return
	}
	pair := b.sub("alerts").element("pairs", strconv.Itoa(b.sub("alerts").pairs()))
	pair.put("share", showPercent(share), origin{n: c.scalar("threshold"), fate: Approximated,
		note: "the share of the budget that this burn rate spends in the window"})
	pair.put("window", showSpan(window), origin{n: c.scalar("lookbackWindow"), fate: Approximated,
		note: "a short window of a twelfth has to burn as well"})
	if s := spec.scalar("severity"); s != nil && fold(s.text) == "page" {
		pair.put("page", "true", origin{n: s})
	} else {
		s.note(Mapped, target{pair, "page"}, "")
	}
	c.scalar("alertAfter").drop("both windows have to burn instead of waiting")
}

// pairs is how many there are.
func (b *block) pairs() int {
	if it := b.find("pairs"); it != nil {
		return len(it.list)
	}
	return 0
}
