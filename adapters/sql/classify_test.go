package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
)

// TestClassify holds the table of docs/sql.md: what each error means.
func TestClassify(t *testing.T) {
	page, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"", nil, "success none"},
		{"`sql.ErrNoRows`, `sql.ErrTxDone`, `sql.ErrConnDone`", sql.ErrNoRows, "ignored client-error"},
		{"", sql.ErrTxDone, "ignored client-error"},
		{"", sql.ErrConnDone, "ignored client-error"},
		{"`driver.ErrBadConn`", driver.ErrBadConn, "failure unsent"},
		{"", fmt.Errorf("wrapped: %w", driver.ErrBadConn), "failure unsent"},
		{"the caller left", context.Canceled, "cancelled none"},
		{"a limit of ours passed", context.DeadlineExceeded, "timeout timeout"},
		{"no connection of the pool became free (`AcquireError`)", nil, "ignored unsent"},
		{"a connection was refused, or a name not found", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "failure unsent"},
		{"a connection broke", io.ErrUnexpectedEOF, "failure reset"},
		{"", syscall.ECONNRESET, "failure reset"},
		{"08001, 08004: could not connect", stateOf("08001"), "failure unsent"},
		{"08: other connection exceptions", stateOf("08006"), "failure reset"},
		{"40001, 40P01: serialization failure, deadlock", stateOf("40001"), "ignored client-error"},
		{"53300: too many connections; 57P03: starting up or stopping", stateOf("53300"), "overloaded unsent"},
		{"", stateOf("57P03"), "overloaded unsent"},
		{"53: out of disk or memory", stateOf("53200"), "overloaded unavailable"},
		{"57014: `statement_timeout`, or cancelled by somebody else", stateOf("57014"), "timeout timeout"},
		{"57: shut down by an operator, crashed", stateOf("57P01"), "failure unavailable"},
		{"57P04: the database was dropped", stateOf("57P04"), "ignored client-error"},
		{"58, F0, XX: input and output, settings, the server's own errors", stateOf("58030"), "failure server-error"},
		{"", stateOf("XX000"), "failure server-error"},
		{"22, 23, 42 and all other states: values, constraints, syntax", stateOf("23505"), "ignored client-error"},
		{"", stateOf("42601"), "ignored client-error"},
		{"", stateOf(""), "ignored client-error"},
		{"any other error", errors.New("what"), "ignored client-error"},
	} {
		r := Classify(c.err)
		if got := fmt.Sprintf("%v %v", r.Outcome, r.Cause); c.err != nil && got != c.want {
			t.Errorf("%v: %s, not %s", c.err, got, c.want)
		}
		row := "| " + c.name + " | " + strings.Replace(c.want, " ", " | ", 1) + " |"
		row = strings.ReplaceAll(row, " none |", " |") // an outcome without a cause
		if c.name != "" && !strings.Contains(string(page), row) {
			t.Errorf("docs/sql.md has no row %s", row)
		}
	}
	db, _ := open(t, &fake{}, "{}")
	a := db.guard.view().whole.policy.Adapter()
	if r := classify(a, &AcquireError{ms}); fmt.Sprint(r.Outcome, r.Cause) != "ignored unsent" {
		t.Errorf("AcquireError: %v", r)
	}
	if r := classify(a, stateOf("23505")); r != own {
		t.Errorf("a constraint: %v", r)
	}
}

// TestPageOpens opens a database by the policy file of docs/sql.md.
func TestPageOpens(t *testing.T) {
	page, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	file, err := config.Parse("docs/sql.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(set, "orders-db", &fake{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := db.Stats().MaxOpenConnections; got != 20+20+3+spare {
		t.Errorf("the pool has %d connections", got)
	}
	if err := db.PingContext(Operation(t.Context(), "reports")); err != nil {
		t.Error(err)
	}
}
