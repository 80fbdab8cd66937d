package conformance

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// HTTPClient returns a client of AWS's SDK whose requests pass the gate, and a function that releases it. Requests
// arrive as they were signed, since the client talks to the gate over pipes within the process, as if it were AWS.
func (g *Gate) HTTPClient() (*awshttp.BuildableClient, func()) {
	plain, secure := newListener(), newListener()
	var served sync.WaitGroup
	servers := []*http.Server{
		{Handler: g.handler("http")},
		{Handler: g.handler("https")},
	}
	for i, l := range []*listener{plain, secure} {
		served.Go(func() { _ = servers[i].Serve(l) })
	}
	c := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.DialContext, t.DialTLSContext, t.Proxy = plain.dial, secure.dial, nil
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

// A listener accepts connections that are made by dial, within the process.
type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newListener() *listener {
	return &listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept returns the next connection.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close closes the listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns the address of the listener, which cannot be dialled.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// dial opens a connection to the listener.
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
