package campaign

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
)

// errNetwork is what a process sees of a network that lets nothing through.
var errNetwork = errors.New("network is unreachable")

// listener accepts connections that are made by dial, within the process.
type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newListener() *listener {
	return &listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept the next connection.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close the listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr of the listener, which no one can dial.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// dial a connection to the listener.
func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A Side of a call at which something happens.
type Side int

// Sides of a call.
const (
	// Before the call takes effect.
	Before Side = iota
	// After the call took effect, before its answer arrives.
	After
)

// An API that calls are made to.
type API string

// APIs.
const (
	Kubernetes API = "Kubernetes"
	AWS        API = "AWS"
)

// A Call is a request that a process makes.
type Call struct {
	API API

	// Method and Path of the request.
	Method, Path string

	// Watch is true of a request that stays open.
	Watch bool
}

// Writes tells whether the call may change anything, going by its method.
func (c Call) Writes() bool { return c.Method != http.MethodGet && c.Method != http.MethodHead }

// String is the call as a test prints it.
func (c Call) String() string { return string(c.API) + " " + c.Method + " " + c.Path }

// A Network is what one process reaches the APIs by. Its zero value lets all pass.
type Network struct {
	// Do, if set, is asked before each call is sent (Before) and when its answer is there
	// (After). An error is what the process sees instead. It is called by many goroutines.
	Do func(ctx context.Context, c Call, s Side) error

	mu      sync.Mutex
	dead    bool
	watches []io.Closer
}

// Cut the network: nothing that has an effect passes any more, as when the process was killed.
func (n *Network) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead = true
}

// Break the watches that are open, as when the API server ends.
func (n *Network) Break() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.watches {
		_ = w.Close()
	}
	n.watches = nil
}

func (n *Network) opened(watch io.Closer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watches = append(n.watches, watch)
}

func (n *Network) pass(ctx context.Context, c Call, s Side) error {
	n.mu.Lock()
	dead := n.dead
	n.mu.Unlock()
	if dead {
		if c.API == Kubernetes && !c.Writes() {
			return nil // A process that ends while its caches are being filled would never end: see Provider.Stop.
		}
		return errNetwork
	}
	if n.Do == nil {
		return nil
	}
	return n.Do(ctx, c, s)
}

// transport passes the calls of a process to the Kubernetes API by its network.
type transport struct {
	http.RoundTripper

	network *Network
}

// RoundTrip of a call.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := Call{API: Kubernetes, Method: r.Method, Path: r.URL.Path, Watch: r.URL.Query().Get("watch") != ""}
	if err := t.network.pass(r.Context(), c, Before); err != nil {
		discard(r.Body)
		return nil, err
	}
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := t.network.pass(r.Context(), c, After); err != nil {
		discard(resp.Body)
		return nil, err
	}
	if c.Watch {
		t.network.opened(resp.Body)
	}
	return resp, nil
}

// passing is an API that a process reaches by its network.
type passing struct {
	http.Handler

	network *Network
}

// ServeHTTP answers a call, or closes the connection where the network does not let it pass.
func (p *passing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := Call{API: AWS, Method: r.Method, Path: r.URL.Path}
	if p.network.pass(r.Context(), c, Before) != nil {
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	p.Handler.ServeHTTP(answer, r)
	if p.network.pass(r.Context(), c, After) != nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func discard(b io.ReadCloser) {
	if b != nil {
		_, _ = io.Copy(io.Discard, b)
		_ = b.Close()
	}
}
