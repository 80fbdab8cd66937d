package conformance

import (
	"io"
	"maps"
	"net/http"
	"sync"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/crossplane-contrib/provider-lambda/internal/test/pipe"
)

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
