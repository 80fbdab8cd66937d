package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
)

// errNetwork is the error of a network that is cut.
var errNetwork = errors.New("network is unreachable")

// deadConnection is how long client-go takes to detect a dead connection.
const deadConnection = 45 * time.Second

// hang waits until the caller of a call that is not answered gives up, and returns the error.
func hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(deadConnection):
	}
	return errNetwork
}

// callCounts counts calls. Its methods are safe for concurrent use.
type callCounts struct {
	mu     sync.Mutex
	counts map[string]int
}

func (n *callCounts) add(c Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.counts == nil {
		n.counts = map[string]int{}
	}
	n.counts[c.String()]++
}

// check checks that no call was made too often.
func (n *callCounts) check(t testing.TB, most int) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	for call, times := range n.counts {
		if times > most {
			t.Errorf("%s was counted %d times, want %d at most", call, times, most)
		}
	}
}

// An answer is an error that a network answers a call with, instead of what the API answers.
type answer struct {
	status int
	body   string

	// code is that of an error of AWS.
	code string
}

// refusal returns an answer of the API server.
func refusal(err *kerrors.StatusError) *answer {
	body, _ := json.Marshal(err.ErrStatus) //nolint:errchkjson // A status has nothing that cannot be encoded.
	return &answer{status: int(err.ErrStatus.Code), body: string(body)}
}

// Error returns the body.
func (a *answer) Error() string { return a.body }

// ServeHTTP answers a call.
func (a *answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", http.DetectContentType([]byte(a.body)))
	if strings.HasPrefix(a.body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	if a.code != "" {
		w.Header().Set("X-Amzn-Errortype", a.code)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// respond returns the response to a call that fails with an error, or the error.
func respond(r *http.Request, err error) (*http.Response, error) {
	a := (*answer)(nil)
	if !errors.As(err, &a) {
		return nil, err
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// A Side is a side of a call.
type Side int

// Sides of a call.
const (
	// Before the call takes effect.
	Before Side = iota
	// After the call took effect, before its response arrives.
	After
)

// An API is the target of calls.
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

	// Watch says that the request stays open.
	Watch bool
}

// Writes reports whether the call may change anything, by its method.
func (c Call) Writes() bool { return c.Method != http.MethodGet && c.Method != http.MethodHead }

// String returns the call as a test prints it.
func (c Call) String() string { return string(c.API) + " " + c.Method + " " + c.Path }

// A Network connects one process to the APIs. Its zero value lets all calls pass.
type Network struct {
	// Do, if set, is called before each call is sent (Before) and when its response is there
	// (After). An error replaces the response. It must be safe for concurrent use.
	Do func(ctx context.Context, c Call, s Side) error

	// Wrap, if set, wraps the transport to the Kubernetes API, as rest.Config's Wrap does.
	Wrap func(http.RoundTripper) http.RoundTripper

	mu      sync.Mutex
	down    bool
	silent  bool
	watches []io.Closer
}

// Cut cuts the network: no call has an effect any more, as if the process was killed.
func (n *Network) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down, n.silent = true, true
}

// Silence lets the open watches deliver nothing more.
func (n *Network) Silence() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent = true
}

func (n *Network) isSilent() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.silent
}

// Break ends the open watches, as when the API server ends.
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
	down := n.down
	n.mu.Unlock()
	if down {
		if c.API == Kubernetes && !c.Writes() {
			return nil // A process that is stopped while its caches are being filled never ends: see Provider.Stop.
		}
		return errNetwork
	}
	if n.Do == nil {
		return nil
	}
	return n.Do(ctx, c, s)
}

// transport passes the calls of a process to the Kubernetes API through its network.
type transport struct {
	http.RoundTripper

	network *Network
}

// RoundTrip sends a call.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := Call{API: Kubernetes, Method: r.Method, Path: r.URL.Path, Watch: r.URL.Query().Get("watch") != ""}
	if err := t.network.pass(r.Context(), c, Before); err != nil {
		discard(r.Body)
		return respond(r, err)
	}
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := t.network.pass(r.Context(), c, After); err != nil {
		discard(resp.Body)
		return respond(r, err)
	}
	if c.Watch {
		resp.Body = &stream{ReadCloser: resp.Body, network: t.network, opened: time.Now(), closed: make(chan struct{})}
		t.network.opened(resp.Body)
	}
	return resp, nil
}

// A stream is the response to a watch.
type stream struct {
	io.ReadCloser

	network *Network
	opened  time.Time
	once    sync.Once
	closed  chan struct{}
}

// Read reads what the network delivers. That includes the initial list of a watch: see Provider.Stop.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if s.network.isSilent() && time.Since(s.opened) > time.Second {
		<-s.closed
		return 0, io.EOF
	}
	return n, err
}

// Close closes the stream.
func (s *stream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.ReadCloser.Close()
}

// passing is an API that a process reaches through its network.
type passing struct {
	http.Handler

	network *Network

	// calls are those under way.
	calls sync.WaitGroup
}

// ServeHTTP serves a call, or closes the connection if the network does not let it pass.
func (p *passing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.calls.Add(1)
	defer p.calls.Done()
	c := Call{API: AWS, Method: r.Method, Path: r.URL.Path}
	if err := p.network.pass(r.Context(), c, Before); err != nil {
		fail(w, r, err)
		return
	}
	served := httptest.NewRecorder()
	p.Handler.ServeHTTP(served, r)
	if err := p.network.pass(r.Context(), c, After); err != nil {
		fail(w, r, err)
		return
	}
	maps.Copy(w.Header(), served.Header())
	w.WriteHeader(served.Code)
	_, _ = w.Write(served.Body.Bytes())
}

// fail answers a call with an error, or closes the connection.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	a := (*answer)(nil)
	if !errors.As(err, &a) {
		panic(http.ErrAbortHandler)
	}
	a.ServeHTTP(w, r)
}

func discard(b io.ReadCloser) {
	if b != nil {
		_, _ = io.Copy(io.Discard, b)
		_ = b.Close()
	}
}
