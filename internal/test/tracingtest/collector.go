package tracingtest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// A Collector is an OpenTelemetry collector that keeps what it receives. It listens on loopback.
type Collector struct {
	collector.UnimplementedTraceServiceServer

	mu      sync.Mutex
	headers []string
	service string
	spans   []string
}

// Spans returns the names of the spans that it received, in order.
func (c *Collector) Spans() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Headers returns the headers X-Team that it received.
func (c *Collector) Headers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.headers)
}

// Resource returns the attributes of the spans' resource as key=value, each followed by a space.
func (c *Collector) Resource() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.service
}

// Export is the one operation of a collector.
func (c *Collector) Export(
	ctx context.Context, in *collector.ExportTraceServiceRequest,
) (*collector.ExportTraceServiceResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	c.take(in, md.Get("x-team"))
	return &collector.ExportTraceServiceResponse{}, nil
}

func (c *Collector) take(in *collector.ExportTraceServiceRequest, headers []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = append(c.headers, headers...)
	for _, rs := range in.GetResourceSpans() {
		for _, a := range rs.GetResource().GetAttributes() {
			c.service += a.GetKey() + "=" + a.GetValue().GetStringValue() + " "
		}
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				c.spans = append(c.spans, s.GetName())
			}
		}
	}
}

// ServeHTTP handles Export by HTTP.
func (c *Collector) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	b, err := io.ReadAll(req.Body)
	in := &collector.ExportTraceServiceRequest{}
	if err != nil || req.URL.Path != "/v1/traces" || proto.Unmarshal(b, in) != nil {
		http.Error(w, "no traces", http.StatusBadRequest)
		return
	}
	c.take(in, req.Header.Values("X-Team"))
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// ByHTTP starts a collector and returns its URL.
func ByHTTP(t testing.TB) (*Collector, string) {
	t.Helper()
	c := &Collector{}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return c, s.URL
}

// ByGRPC starts a collector and returns its URL.
func ByGRPC(t testing.TB) (*Collector, string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, s := &Collector{}, grpc.NewServer()
	collector.RegisterTraceServiceServer(s, c)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return c, "http://" + l.Addr().String()
}
