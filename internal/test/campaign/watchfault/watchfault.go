// Package watchfault delays, drops, merges and reorders the watch events of one client. Tests wrap a client's transport
// with it, so that the caches of that client show an older state of the cluster than its API server.
package watchfault

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bookmark is the type of events that carry only a resource version and no object.
const bookmark = "BOOKMARK"

// An Event is an event of a watch.
type Event struct {
	Type, Namespace, Name, Version string

	line []byte
}

// A Delivery returns the events to deliver for those that were held back, in their order.
type Delivery func(held []Event) []Event

// All delivers all events, late.
func All(held []Event) []Event { return held }

// None drops all events. The cache stays stale until it lists again.
func None([]Event) []Event { return nil }

// Merged delivers only the last event of each object, as after a list.
func Merged(held []Event) []Event {
	last := map[[2]string]int{}
	for i, e := range held {
		last[e.object()] = i
	}
	var out []Event
	for i, e := range held {
		if last[e.object()] == i {
			out = append(out, e)
		}
	}
	return out
}

// Reversed delivers the events in reverse order, so that the cache ends with the oldest one.
func Reversed(held []Event) []Event {
	slices.Reverse(held)
	return held
}

// Shuffled delivers the events in a random order.
func Shuffled(seed uint64) Delivery {
	return func(held []Event) []Event {
		r := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // The order is reproducible by its seed.
		r.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
		return held
	}
}

func (e Event) object() [2]string { return [2]string{e.Namespace, e.Name} }

// Faults are the faults of the watches of one client. The zero value has none.
type Faults struct {
	mu      sync.Mutex
	frozen  map[string]bool
	watches map[*watch]struct{}
}

// watch is an open watch.
type watch struct {
	resource string
	held     []Event
	listing  bool // The first events are a list, which is delivered.
	out      *stream
	in       io.Closer
}

// Freeze freezes the watches of a resource, such as functions: events are held back until Thaw.
func (f *Faults) Freeze(resource string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.frozen == nil {
		f.frozen = map[string]bool{}
	}
	f.frozen[resource] = true
}

// Thaw unfreezes the watches of a resource and delivers the events that were held back.
func (f *Faults) Thaw(resource string, how Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.frozen, resource)
	for w := range f.watches {
		if w.resource != resource {
			continue
		}
		for _, e := range how(w.held) {
			w.out.write(e.line)
		}
		w.held = nil
	}
}

// Held returns how many events of a resource are held back.
func (f *Faults) Held(resource string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for w := range f.watches {
		if w.resource == resource {
			n += len(w.held)
		}
	}
	return n
}

// Open returns how many watches of a resource are open.
func (f *Faults) Open(resource string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for w := range f.watches {
		if w.resource == resource {
			n++
		}
	}
	return n
}

// Break ends the watches of a resource, so that the cache lists and watches again.
func (f *Faults) Break(resource string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watches {
		if w.resource == resource {
			w.out.write([]byte(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",` +
				`"reason":"Expired","code":410}}` + "\n"))
			_ = w.in.Close()
		}
	}
}

// Wrap wraps a client's transport, as rest.Config's Wrap does.
func (f *Faults) Wrap(rt http.RoundTripper) http.RoundTripper { return &transport{rt: rt, faults: f} }

type transport struct {
	rt     http.RoundTripper
	faults *Faults
}

// RoundTrip sends a request, and intercepts the events of a watch. Responses other than
// JSON, which Kubernetes's own kinds may have, are not intercepted.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.rt.RoundTrip(r)
	if err != nil || r.URL.Query().Get("watch") == "" || resp.StatusCode != http.StatusOK ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		return resp, err
	}
	w := &watch{
		resource: path.Base(r.URL.Path), out: newStream(), in: resp.Body,
		listing: r.URL.Query().Get("sendInitialEvents") == "true",
	}
	t.faults.add(w)
	go t.faults.carry(w, resp.Body)
	resp.Body = &body{stream: w.out, in: resp.Body}
	return resp, nil
}

// body is the body of a watch. It ends with the API server's.
type body struct {
	*stream

	in io.Closer
}

// Close closes both ends. It ends the stream without an error, because client-go's watch would wait for somebody to
// receive the error.
func (b *body) Close() error {
	b.end(io.EOF)
	return b.in.Close()
}

func (f *Faults) add(w *watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watches == nil {
		f.watches = map[*watch]struct{}{}
	}
	f.watches[w] = struct{}{}
}

func (f *Faults) remove(w *watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watches, w)
}

// carry passes the events of a watch until it ends.
func (f *Faults) carry(w *watch, from io.Reader) {
	defer f.remove(w)
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			w.out.end(io.EOF) // Not err: see body.Close.
			return
		}
		f.pass(w, line)
	}
}

// pass passes an event on, or holds it back. It drops bookmarks meanwhile: they would make
// the cache skip the events that are held back.
func (f *Faults) pass(w *watch, line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.frozen[w.resource] || w.listing {
		w.out.write(line)
		w.listing = w.listing && !bytes.Contains(line, []byte(metav1.InitialEventsAnnotationKey))
		return
	}
	if e := parse(line); e.Type != bookmark {
		w.held = append(w.held, e)
	}
}

func parse(line []byte) Event {
	var raw struct {
		Type   string `json:"type"`
		Object struct {
			Metadata struct {
				Namespace       string `json:"namespace"`
				Name            string `json:"name"`
				ResourceVersion string `json:"resourceVersion"`
			} `json:"metadata"`
		} `json:"object"`
	}
	_ = json.Unmarshal(line, &raw) // Without a type, it is not an event.
	m := raw.Object.Metadata
	return Event{Type: raw.Type, Namespace: m.Namespace, Name: m.Name, Version: m.ResourceVersion, line: line}
}

// A stream is a pipe with a writer that never waits for the reader.
type stream struct {
	mu    sync.Mutex
	more  *sync.Cond
	buf   bytes.Buffer
	ended error
}

func newStream() *stream {
	s := &stream{}
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *stream) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf.Write(b)
	s.more.Broadcast()
}

// end ends the stream. The reader reads what was written before.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = err
	}
	s.more.Broadcast()
}

// Read reads what was written, or waits for it.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.buf.Len() == 0 && s.ended == nil {
		s.more.Wait()
	}
	if s.buf.Len() == 0 {
		return 0, s.ended
	}
	return s.buf.Read(p)
}
