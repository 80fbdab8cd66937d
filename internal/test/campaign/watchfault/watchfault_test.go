package watchfault

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read returns the names of the objects and the versions of their events, in the order of
// arrival.
func read(t *testing.T, in *bufio.Reader, n int) []string {
	t.Helper()
	var got []string
	for range n {
		line, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		e := parse(line)
		got = append(got, e.Name+e.Version)
	}
	return got
}

func TestDeliveries(t *testing.T) {
	cases := map[string]struct {
		reason string
		how    Delivery
		want   []string
	}{
		"All":      {reason: "Late, but all.", how: All, want: []string{"a2", "b3", "a5", "c6"}},
		"None":     {reason: "Delayed events are lost.", how: None, want: []string{"c6"}},
		"Merged":   {reason: "What was overtaken is not seen.", how: Merged, want: []string{"b3", "a5", "c6"}},
		"Reversed": {reason: "The oldest one wins.", how: Reversed, want: []string{"a5", "b3", "a2", "c6"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			events, done := make(chan string), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				for {
					select {
					case e := <-events:
						_, _ = io.WriteString(w, e+"\n")
						_ = http.NewResponseController(w).Flush()
					case <-done:
						return
					}
				}
			}))
			defer server.Close()
			defer close(done)
			f := &Faults{}
			c := http.Client{Transport: f.Wrap(http.DefaultTransport)}
			resp, err := c.Get(server.URL + "/apis/x/v1/things?watch=true")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			in := bufio.NewReader(resp.Body)
			send := func(kind, name string, version int) {
				events <- fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":%q,"resourceVersion":"%d"}}}`, kind,
					name, version)
			}
			send("ADDED", "a", 1)
			if diff := cmp.Diff([]string{"a1"}, read(t, in, 1)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			f.Freeze("things")
			send("MODIFIED", "a", 2)
			send("ADDED", "b", 3)
			send(bookmark, "", 4)
			send("MODIFIED", "a", 5)
			for f.Held("things") < 3 {
				runtime.Gosched()
			}
			thawed := make(chan struct{})
			go func() {
				defer close(thawed)
				f.Thaw("things", tc.how)
				send("ADDED", "c", 6)
			}()
			if diff := cmp.Diff(tc.want, read(t, in, len(tc.want))); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			<-thawed
		})
	}
}
