package grpchealth

import "testing"

func message(b ...byte) []byte { return append([]byte{0, 0, 0, 0, byte(len(b))}, b...) }

func TestParseResponse(t *testing.T) {
	for _, tc := range []struct {
		body []byte
		want Status
		ok   bool
	}{
		{message(8, 1), Serving, true}, {message(), Unknown, true}, {message(8, 2), NotServing, true},
		{message(8, 2, 8, 1), Serving, true},            // the last counts
		{message(18, 2, 'h', 'i', 8, 1), Serving, true}, // a field of the future
		{message(25, 1, 2, 3, 4, 5, 6, 7, 8, 8, 1), Serving, true},
		{message(29, 1, 2, 3, 4, 8, 1), Serving, true},
		{nil, 0, false}, {[]byte{0, 0, 0}, 0, false}, {[]byte{1, 0, 0, 0, 2, 8, 1}, 0, false},
		{[]byte{0, 0, 0, 0, 3, 8, 1}, 0, false}, {append(message(8, 1), 0), 0, false},
		{message(8), 0, false}, {message(18, 9, 'x'), 0, false}, {message(0, 1), 0, false},
		{message(11, 1), 0, false}, {message(25, 1), 0, false}, {message(0x80), 0, false},
	} {
		got, err := ParseResponse(tc.body)
		if (err == nil) != tc.ok || got != tc.want && tc.ok {
			t.Errorf("%x: %d, %v", tc.body, got, err)
		}
	}
	for s := range ServiceUnknown + 1 {
		if got, err := ParseResponse(Response(s)); got != s || err != nil {
			t.Errorf("%d comes back as %d, %v", s, got, err)
		}
	}
}

func TestRequest(t *testing.T) {
	for service, want := range map[string]string{"ab": "\x00\x00\x00\x00\x04\x0a\x02ab",
		"": "\x00\x00\x00\x00\x00"} {
		if got := Request(service); string(got) != want {
			t.Errorf("%q is written as %x", service, got)
		}
		if got, err := ParseRequest([]byte(want)); got != service || err != nil {
			t.Errorf("%q comes back as %q, %v", service, got, err)
		}
	}
	if got, err := ParseRequest(message(10, 1, 'a', 8, 7, 10, 0)); got != "" || err != nil {
		t.Errorf("of two texts the last is empty, and it is %q, %v", got, err)
	}
}

func FuzzWalk(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 8, 1})
	f.Add([]byte{0, 0, 0, 0, 6, 18, 2, 'h', 'i', 8, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		before := string(b)
		status, err := ParseResponse(b)
		service, err2 := ParseRequest(b)
		if string(b) != before {
			t.Error("the message was changed")
		}
		if (err == nil) != (err2 == nil) || err != nil && status != 0 {
			t.Errorf("%x: %d and %v, %q and %v", b, status, err, service, err2)
		}
	})
}
