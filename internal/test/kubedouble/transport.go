package kubedouble

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"

	"k8s.io/client-go/rest"
)

// Config of clients of the server, which reach it without a network.
func (s *Server) Config() *rest.Config {
	return &rest.Config{
		Host:          "http://kubernetes",
		Transport:     s,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}
}

// RoundTrip has the server answer a request.
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

// open a watch.
func (s *Server) open(r *http.Request) *http.Response {
	pr, pw := io.Pipe()
	w := &streamed{header: http.Header{}, begun: make(chan struct{}), body: pw}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.ServeHTTP(w, r)
		_ = pw.Close()
	}()
	<-w.begun
	if w.code == http.StatusOK {
		go func() { // A client that goes away ends what waits to be read.
			select {
			case <-r.Context().Done():
				_ = pw.Close()
			case <-served:
			}
		}()
	}
	return &http.Response{StatusCode: w.code, Status: http.StatusText(w.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: body{pr}, Request: r}
}

// body of a watch. One that its reader has closed is at its end, which client-go takes for no
// error: it would tell of an error to no one, and never end.
type body struct{ *io.PipeReader }

// Read what was sent.
func (b body) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.EOF
	}
	return n, err
}

// streamed is an answer that is read while it is written.
type streamed struct {
	header http.Header
	code   int
	begun  chan struct{}
	body   *io.PipeWriter
}

// Header of the answer.
func (s *streamed) Header() http.Header { return s.header }

// WriteHeader begins the answer.
func (s *streamed) WriteHeader(code int) {
	s.code = code
	close(s.begun)
}

// Write a part of the answer.
func (s *streamed) Write(b []byte) (int, error) { return s.body.Write(bytes.Clone(b)) }
