package board

import (
	"encoding/json"
	"io"

	"github.com/seakeep/seakeep/config"
)

// Dashboard is what Grafana imports.
type Dashboard struct {
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Tags          []string   `json:"tags"`
	Timezone      string     `json:"timezone"`
	SchemaVersion int        `json:"schemaVersion"`
	Editable      bool       `json:"editable"`
	GraphTooltip  int        `json:"graphTooltip"` // 1: one cross hair for all
	Refresh       string     `json:"refresh"`
	Time          Range      `json:"time"`
	Templating    Templating `json:"templating"`
	Panels        []Panel    `json:"panels"`
}

// Range is what is shown at first.
type Range struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Templating holds the choices at the top.
type Templating struct {
	List []Variable `json:"list"`
}

// Variable is one of them.
type Variable struct {
	Name       string  `json:"name"`
	Label      string  `json:"label,omitempty"`
	Type       string  `json:"type"` // datasource or query
	Query      string  `json:"query"`
	Datasource *Source `json:"datasource,omitempty"`
	Refresh    int     `json:"refresh"` // 2: with each change of the time
	IncludeAll bool    `json:"includeAll"`
	Multi      bool    `json:"multi"`
	AllValue   string  `json:"allValue,omitempty"`
}

// Source is where queries go.
type Source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Panel is a chart, or the head of a row.
type Panel struct {
	ID          int          `json:"id"`
	Type        string       `json:"type"`
	Title       string       `json:"title"`
	Description string       `json:"description,omitempty"`
	Grid        Grid         `json:"gridPos"`
	Collapsed   *bool        `json:"collapsed,omitempty"`
	Datasource  *Source      `json:"datasource,omitempty"`
	Targets     []Target     `json:"targets,omitempty"`
	Field       *FieldConfig `json:"fieldConfig,omitempty"`
	Options     any          `json:"options,omitempty"`
}

// Grid is where a panel stands: 24 columns.
type Grid struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

// Target is a query.
type Target struct {
	RefID  string `json:"refId"`
	Expr   string `json:"expr"`
	Legend string `json:"legendFormat"`
}

// FieldConfig is how values are shown.
type FieldConfig struct {
	Defaults  Defaults `json:"defaults"`
	Overrides []any    `json:"overrides"`
}

// Defaults are of all values of a panel.
type Defaults struct {
	Unit       string      `json:"unit"`
	Min        *float64    `json:"min,omitempty"`
	Max        *float64    `json:"max,omitempty"`
	Thresholds *Thresholds `json:"thresholds,omitempty"`
	Custom     any         `json:"custom,omitempty"`
}

// Thresholds are the values from which a colour holds.
type Thresholds struct {
	Mode  string `json:"mode"`
	Steps []Step `json:"steps"`
}

// Step is one of them; a nil value is the lowest.
type Step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

// New returns the dashboard of a file.
func New(f *config.File) *Dashboard {
	d := &Dashboard{UID: uid("seakeep-" + f.Service), Title: f.Service + ": Seakeep",
		Description: "Made by seakeep export grafana. What the charts mean: docs/monitoring.md and docs/alerts.md.",
		Tags:        []string{"seakeep"}, Timezone: "browser", SchemaVersion: 39, Editable: true,
		GraphTooltip: 1, Refresh: "30s", Time: Range{"now-6h", "now"}, Templating: variables()}
	l := &layout{to: d}
	if f.SLO != nil {
		l.row("What users were promised")
		l.all(objectiveCharts)
	}
	if f.Serve != nil {
		l.row("What comes in")
		l.all(serveCharts)
	}
	if len(f.Dependencies) > 0 {
		l.row("What each dependency does to us")
		l.all(dependencyCharts)
	}
	return d
}

// uid is a name for Grafana, of at most 40 characters.
func uid(name string) string {
	if len(name) > 40 {
		name = name[:40]
	}
	return name
}

// Write writes the dashboard as JSON.
func (d *Dashboard) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

func variables() Templating {
	source := &Source{"prometheus", "${source}"}
	return Templating{[]Variable{
		{Name: "source", Label: "Prometheus", Type: "datasource", Query: "prometheus"},
		{Name: "job", Type: "query", Query: "label_values(seakeep_build_info, job)", Datasource: source,
			Refresh: 2, IncludeAll: true, Multi: true, AllValue: ".*"},
		{Name: "dependency", Type: "query", Query: "label_values(seakeep_calls_total, dependency)",
			Datasource: source, Refresh: 2, IncludeAll: true, Multi: true, AllValue: ".*"},
	}}
}

// layout puts panels side by side, two in a line.
type layout struct {
	to   *Dashboard
	x, y int
}

const (
	high = 8
	wide = 12
)

func (l *layout) row(title string) {
	if l.x > 0 {
		l.x, l.y = 0, l.y+high
	}
	open := false
	l.add(Panel{Type: "row", Title: title, Collapsed: &open, Grid: Grid{1, 24, 0, l.y}})
	l.y++
}

func (l *layout) add(p Panel) {
	p.ID = len(l.to.Panels) + 1
	l.to.Panels = append(l.to.Panels, p)
}

func (l *layout) all(charts []chart) {
	for _, c := range charts {
		p := c.panel()
		p.Grid = Grid{high, wide, l.x, l.y}
		l.add(p)
		if l.x += wide; l.x >= 24 {
			l.x, l.y = 0, l.y+high
		}
	}
}
