package kubedouble

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"

	"k8s.io/client-go/rest"
)

// Config returns the configuration of clients, which reach the server without a network.
func (s *Server) Config() *rest.Config {
	return &rest.Config{
		Host:          "http://kubernetes",
		Transport:     s,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}
}

// RoundTrip sends a request to the server.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	if q := r.URL.Query(); q.Get("watch") != "" {
		return s.open(r), nil
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec.Result(), nil
}

func (s *Server) open(r *http.Request) *http.Response {
	pr, pw := io.Pipe()
	w := &streamed{header: http.Header{}, started: make(chan struct{}), body: pw}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.ServeHTTP(w, r)
		_ = pw.Close()
	}()
	<-w.started
	if w.code == http.StatusOK {
		go func() { // The watch ends with its client's context.
			select {
			case <-r.Context().Done():
				_ = pw.Close()
			case <-served:
			}
		}()
	}
	return &http.Response{
		StatusCode: w.code, Status: http.StatusText(w.code), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: w.header, Body: body{pr}, Request: r,
	}
}

// body is the body of a watch. After its reader has closed it, it returns io.EOF, which client-go does not treat as an
// error: for another error, its watch would block while reporting it.
type body struct{ *io.PipeReader }

// Read reads what was sent.
func (b body) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.EOF
	}
	return n, err
}

// streamed is a response that is read while it is written.
type streamed struct {
	header  http.Header
	code    int
	started chan struct{}
	body    *io.PipeWriter
}

// Header returns the header of the response.
func (s *streamed) Header() http.Header { return s.header }

// WriteHeader begins the response.
func (s *streamed) WriteHeader(code int) {
	s.code = code
	close(s.started)
}

// Write writes a part of the response.
func (s *streamed) Write(b []byte) (int, error) { return s.body.Write(bytes.Clone(b)) }
