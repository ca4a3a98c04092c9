package main

import (
	"bufio"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/seakeephttp"
)

const (
	pageBare    = "net/http serves a page"
	pageBehind  = "behind the door"
	pageRefused = "refused at the door"
	emptyBehind = "behind the door, nothing to do"
)

// doorRow is what a server that protects itself saves by refusing. Over real
// sockets, client included: what a refusal costs is mostly HTTP.
func doorRow() row {
	return row{id: "g", title: "a page of 200 rows over loopback HTTP, served or refused",
		variants: []variant{
			{name: pageBare, make: func() loop { return asks(http.HandlerFunc(page), http.StatusOK) }},
			{pageBehind, func() loop { return asks(behind(page, 1), http.StatusOK) },
				&ours{20_000, []string{pageBare}}},
			{pageRefused, func() loop { return asks(behind(page, 0), http.StatusServiceUnavailable) },
				&ours{60, []string{pageBare}}},
			{emptyBehind, func() loop { return asks(behind(nothing, 1), http.StatusOK) },
				&ours{60, []string{pageBare}}},
		}}
}

// item is a row of the page.
type item struct {
	Number      int
	Name, Price string
}

var catalogue = func() (all []item) {
	for n := range 200 {
		all = append(all, item{n, fmt.Sprintf("item <%d> of a catalogue", n), fmt.Sprintf("%d.99", n)})
	}
	return all
}()

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html><table>
{{range .}}<tr><td>{{.Number}}<td><a href="/item/{{.Number}}">{{.Name}}</a><td>{{.Price}}
{{end}}</table>`))

// page renders what a small shop answers, from memory.
func page(w http.ResponseWriter, _ *http.Request) {
	if err := pageTemplate.Execute(w, catalogue); err != nil {
		panic(err)
	}
}

func nothing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

const doorPolicy = `
version: 1
service: shop
serve:
  deadline: {default: 1h}
  criticality: {trust: [127.0.0.1]}
  user: X-User
  concurrency: {algorithm: fixed, limit: 100}
  queue: {length: 10}
  shed: {}
`

// behind puts a door in front of a handler that lets this share in.
func behind(next http.HandlerFunc, share float64) http.Handler {
	file, err := config.Parse("bench", []byte(doorPolicy))
	if err != nil {
		panic(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		panic(err)
	}
	h, err := seakeephttp.Handler(set, next)
	if err != nil {
		panic(err)
	}
	if err := set.Door().Admit(share, 0); err != nil {
		panic(err)
	}
	return h
}

const doorRequest = "GET / HTTP/1.1\r\nHost: shop\r\nX-User: u\r\n" +
	"X-Seakeep-Criticality: sheddable\r\nX-Seakeep-Deadline: 5000000\r\n\r\n"

// line is a client's connection.
type line struct {
	net.Conn
	br *bufio.Reader
}

// asks sends requests to a server over connections that are kept, one for each
// goroutine, and reads the answers to their end, as cheaply as a client can.
func asks(h http.Handler, status int) loop {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = (&http.Server{Handler: h}).Serve(l) }()
	kept := make(chan *line, 2)
	return func(n int) {
		var c *line
		select {
		case c = <-kept:
		default:
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			c = &line{conn, bufio.NewReader(conn)}
		}
		defer func() { kept <- c }()
		for range n {
			if _, err := io.WriteString(c, doorRequest); err != nil {
				panic(err)
			}
			resp, err := http.ReadResponse(c.br, nil)
			if err != nil || resp.StatusCode != status {
				panic(fmt.Sprint("the answer is not as it should be: ", err))
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				panic(err)
			}
		}
	}
}
