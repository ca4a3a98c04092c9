package simulate

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestTextOfDoorsGolden(t *testing.T) {
	q := questionOf(t, "door.yaml")
	q.Why = true
	var b strings.Builder
	if err := report(t, q).WriteText(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "door.txt", b.String())
}

// The doors in JSON are those of the table, and add up.
func TestDoorsInJSON(t *testing.T) {
	var b bytes.Buffer
	if err := report(t, questionOf(t, "door.yaml")).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Doors []struct {
			Service string
			Classes []struct {
				Class                                    string
				Offered, Admitted, Refused, Left, Useful float64
			}
			Refused []struct {
				Reason string
				Rate   float64
			}
		}
		Figures map[string]struct{ Mean float64 }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Doors) != 1 || got.Doors[0].Service != "shop" || len(got.Doors[0].Classes) != 4 {
		t.Fatalf("%+v", got.Doors)
	}
	d, refused := got.Doors[0], 0.0
	for _, c := range d.Classes {
		refused += c.Refused
		// What has not ended when the warm-up or the run does is a few requests.
		if math.Abs(c.Offered-c.Admitted-c.Refused-c.Left) > 3 || c.Useful > c.Admitted+3 {
			t.Errorf("%+v does not add up", c)
		}
		if key := "doors.shop." + c.Class + ".useful"; got.Figures[key].Mean != c.Useful {
			t.Errorf("%s is %v, and in the doors %v", key, got.Figures[key].Mean, c.Useful)
		}
	}
	for i, r := range d.Refused {
		refused -= r.Rate
		if i > 0 && r.Rate > d.Refused[i-1].Rate || r.Rate == 0 {
			t.Errorf("the reasons are %+v", d.Refused)
		}
	}
	if math.Abs(refused) > 1e-6 || d.Classes[0].Class != "critical_plus" || d.Refused[0].Reason != "shed" {
		t.Errorf("%+v", d)
	}
	b.Reset()
	if err := report(t, question(t, "runs", "1")).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "doors") {
		t.Error("there are doors where there is none")
	}
}
