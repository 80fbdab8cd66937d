package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"golang.org/x/sync/semaphore"

	"github.com/crossplane-contrib/provider-lambda/internal/test/pipe"
)

// errStopped is the error of all calls after the gate was closed or the budget is spent.
var errStopped = errors.New("the run has ended, so it makes no more calls")

// manyCalls is more than the number of calls that are ever made at once.
const manyCalls = 1 << 20

// A Gate passes the calls of a run to AWS. It counts them, refuses to change what the run did not make, writes down
// what a call makes before it is made, and records the answers. While Lambda is changed, no other call to Lambda is on
// its way, so that the order of a recording is that of the changes. It is safe for concurrent use.
type Gate struct {
	// Next sends calls to AWS.
	Next http.RoundTripper
	// State of the run.
	State *State
	// Calls is the largest number of calls. 0 means any number.
	Calls int

	// order is acquired by calls to Lambda: the whole by those that change something, else 1.
	order *semaphore.Weighted

	mu       sync.Mutex
	total    int
	closed   bool
	changes  int
	refusals []string
	lacking  map[string]bool
	recorder *Recorder
}

// Record records the calls from now on. Nil records none.
func (g *Gate) Record(r *Recorder) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.recorder = r
}

// Close ends the run: no more calls are made.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// Counts returns the number of all calls, and of those that may change something.
func (g *Gate) Counts() (all, changes int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total, g.changes
}

// Refusals returns the calls that were refused since they would change what the run did not make.
func (g *Gate) Refusals() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.refusals)
}

// Spent reports whether the budget of calls is spent.
func (g *Gate) Spent() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.Calls > 0 && g.total >= g.Calls
}

// RoundTrip sends a call to AWS.
func (g *Gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "" {
		return g.Next.RoundTrip(r) // It fetches credentials. It is neither counted nor recorded.
	}
	c, err := newCall(r)
	if err != nil {
		return nil, err
	}
	rec, err := g.admit(c)
	if err != nil {
		if errors.Is(err, errStopped) {
			return nil, err
		}
		return refusal(r, err), nil
	}
	if r.Header.Get("Accept-Encoding") == "gzip" {
		r.Header.Del("Accept-Encoding") // It was added after the call was signed, and recordings need plain answers.
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	if c.service == serviceLambda {
		if err := g.order.Acquire(r.Context(), c.weight()); err != nil {
			return nil, err
		}
		defer g.order.Release(c.weight())
	}
	rsp, err := g.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(rsp.Body)
	_ = rsp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("cannot read what AWS answers: %w", err)
	}
	rsp.Body = io.NopCloser(bytes.NewReader(answer))
	for _, m := range c.answered(rsp.StatusCode, answer) {
		if err := g.State.Add(m); err != nil {
			return nil, err
		}
	}
	if lacks(c.service, rsp, answer) {
		g.lacks(c.operation)
	}
	if rec != nil {
		if err := rec.add(c, rsp, answer); err != nil {
			return nil, err
		}
	}
	return rsp, nil
}

// admit counts a call, and returns the recorder of its answer, or why it is not made.
func (g *Gate) admit(c *call) (*Recorder, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.Calls > 0 && g.total >= g.Calls {
		return nil, errStopped
	}
	if err := c.permitted(g.State); err != nil {
		g.refusals = append(g.refusals, err.Error())
		return nil, err
	}
	for _, m := range c.makes() {
		if err := g.State.Add(m); err != nil {
			return nil, err
		}
	}
	if g.order == nil {
		g.order = semaphore.NewWeighted(manyCalls)
	}
	g.total++
	if c.changes() {
		g.changes++
	}
	return g.recorder, nil
}

// refusal returns an answer that AWS did not give.
func refusal(r *http.Request, err error) *http.Response {
	body := fmt.Appendf(nil, `{"message":%q}`, "the run does not make this call: "+err.Error())
	return &http.Response{
		StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"X-Amzn-Errortype": {"AccessDeniedException"}, "Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// lacks reports whether an answer says that the endpoint does not have the operation, as emulators do: with 501, with
// an error of its own, with a page of HTML, or with XML, since their S3 answers what nothing else does.
func lacks(service string, rsp *http.Response, answer []byte) bool {
	code, foreign := rsp.Header.Get("X-Amzn-Errortype"), bytes.Contains(bytes.ToLower(answer), []byte("<html"))
	if service == serviceLambda { // AWS answers in JSON.
		foreign = bytes.HasPrefix(bytes.TrimSpace(answer), []byte("<"))
	}
	return rsp.StatusCode == http.StatusNotImplemented || strings.HasPrefix(code, "UnknownOperation") ||
		foreign && (rsp.StatusCode == http.StatusNotFound || rsp.StatusCode == http.StatusBadRequest)
}

func (g *Gate) lacks(operation string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lacking == nil {
		g.lacking = map[string]bool{}
	}
	g.lacking[operation] = true
}

// Lacking returns the operations that the endpoint has turned out to lack since the last call, sorted.
func (g *Gate) Lacking() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := slices.Sorted(maps.Keys(g.lacking))
	g.lacking = nil
	return out
}

// HTTPClient returns a client of AWS's SDK whose requests pass the gate, and a function that releases it. Requests
// arrive as they were signed, since the client talks to the gate within the process, as if it were AWS.
func (g *Gate) HTTPClient() (*awshttp.BuildableClient, func()) {
	plain, secure := pipe.Listen(), pipe.Listen()
	var served sync.WaitGroup
	servers := []*http.Server{
		{Handler: g.handler("http")},
		{Handler: g.handler("https")},
	}
	for i, l := range []*pipe.Listener{plain, secure} {
		served.Go(func() { _ = servers[i].Serve(l) })
	}
	c := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.DialContext, t.DialTLSContext = plain.Dial, secure.Dial
		t.Proxy = nil
	})
	return c, func() {
		for _, s := range servers {
			_ = s.Close()
		}
		served.Wait()
	}
}

// handler passes requests of a scheme through the gate.
func (g *Gate) handler(scheme string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host, r.RequestURI = scheme, r.Host, ""
		rsp, err := g.RoundTrip(r)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer rsp.Body.Close() //nolint:errcheck // It is only read.
		maps.Copy(w.Header(), rsp.Header)
		w.WriteHeader(rsp.StatusCode)
		_, _ = io.Copy(w, rsp.Body)
	})
}
