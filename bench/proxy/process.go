package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one party: a program with its children, if it has any.
type process struct {
	name    string
	address string
	h2      string // where it takes HTTP/2 unasked, if that is elsewhere
	cmd     *exec.Cmd
	out     bytes.Buffer
}

// at is where a party listens. Empty: it says so in the first line it prints.
type at struct{ address, h2 string }

// spawn starts a program and waits until it listens.
func spawn(name string, at at, cmd *exec.Cmd) (*process, error) {
	p := &process{name: name, address: at.address, h2: at.h2, cmd: cmd}
	// Its children must go when it goes, and it must go when we do.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = &p.out
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if p.address == "" {
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		line, err := bufio.NewReader(pipe).ReadString('\n')
		if err != nil {
			p.stop()
			return nil, fmt.Errorf("%s does not say where it listens: %w\n%s", name, err, &p.out)
		}
		p.address = strings.TrimSpace(line)
	} else {
		cmd.Stdout = &p.out
		if err := cmd.Start(); err != nil {
			return nil, err
		}
	}
	for _, address := range []string{p.address, p.h2} {
		if address == "" {
			continue
		}
		if err := reachable(ctx, address); err != nil {
			p.stop()
			return nil, fmt.Errorf("%s: %w\n%s", name, err, &p.out)
		}
	}
	return p, nil
}

func (p *process) stop() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Wait()
}

// family is the process and its children.
func (p *process) family() []int {
	all := []int{p.cmd.Process.Pid}
	for i := 0; i < len(all); i++ {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		for _, f := range files {
			text, _ := os.ReadFile(f)
			for _, pid := range strings.Fields(string(text)) {
				if n, err := strconv.Atoi(pid); err == nil {
					all = append(all, n)
				}
			}
		}
	}
	return all
}

// cpu is the processor time that the process and its children have used, in
// user and in system mode, to a hundredth of a second each.
func (p *process) cpu() (user, system time.Duration, err error) {
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux that Go runs on
	for _, pid := range p.family() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, 0, fmt.Errorf("%s is gone: %w\n%s", p.name, err, &p.out)
		}
		// The name in brackets may have spaces in it; utime is the 14th field.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		u, _ := strconv.Atoi(fields[11])
		s, _ := strconv.Atoi(fields[12])
		user += time.Duration(u) * tick
		system += time.Duration(s) * tick
	}
	return user, system, nil
}

// pss is the process's share of memory, in bytes, with its children's.
func (p *process) pss() (bytes int64, err error) {
	for _, pid := range p.family() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "Pss:" {
				n, _ := strconv.ParseInt(f[1], 10, 64)
				bytes += n << 10
			}
		}
	}
	return bytes, nil
}

// free returns addresses that nobody listens at, one for each protocol.
func free() at {
	var found [2]string
	for i := range found {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		defer l.Close()
		found[i] = l.Addr().String()
	}
	return at{found[0], found[1]}
}
