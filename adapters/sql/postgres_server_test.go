package seakeepsql

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgres starts a PostgreSQL of the test's own, and returns how to connect to
// it. PostgreSQL refuses to run as root, so there it runs as somebody else.
func postgres(t *testing.T) driver.Connector {
	t.Helper()
	initdb, server := program("initdb"), program("postgres")
	if initdb == "" || server == "" {
		t.Skip("no PostgreSQL here: apt-get install postgresql")
	}
	dir, err := os.MkdirTemp("", "seakeepsql") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := unprivileged(t, dir)
	data := filepath.Join(dir, "data")
	run := exec.Command(initdb, "-D", data, "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
	run.SysProcAttr, run.Dir = &syscall.SysProcAttr{Credential: as}, dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	var log bytes.Buffer
	pg := exec.Command(server, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "max_connections=60", "-c", "shared_buffers=16MB", "-c", "autovacuum=off")
	pg.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT}
	pg.Dir, pg.Stdout, pg.Stderr = dir, &log, &log
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pg.Process.Signal(syscall.SIGQUIT)
		_ = pg.Wait()
	})
	cfg, err := pgx.ParseConfig(fmt.Sprintf("host=%s user=test dbname=postgres sslmode=disable", dir))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * ms) {
		c, err := pgx.ConnectConfig(context.Background(), cfg)
		if err == nil {
			_ = c.Close(context.Background())
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not start: %v\n%s", err, log.String())
		}
	}
	return stdlib.GetConnector(*cfg)
}

// program finds a program of PostgreSQL, which Debian keeps off the PATH.
func program(name string) string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1]
	}
	path, _ := exec.LookPath(name)
	return path
}

// unprivileged gives dir to a user who is not root; nil: nobody here is.
func unprivileged(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			t.Skipf("root, and nobody to run PostgreSQL as: %v", err)
		}
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
