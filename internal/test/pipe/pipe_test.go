package pipe

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestListener checks that a server answers on connections within the process, and that none is opened after its end.
func TestListener(t *testing.T) {
	l, served := Listen(), make(chan error)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})}
	go func() { served <- server.Serve(l) }()
	transport := &http.Transport{DialContext: l.Dial}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for range 100 { // The connection is used again.
		rsp, err := client.Post("http://aws.test", "text/plain", strings.NewReader("echo"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(rsp.Body)
		if err != nil || string(b) != "echo" {
			t.Fatalf("Post(): want echo, got %q, %v", b, err)
		}
		_ = rsp.Body.Close()
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if _, err := l.Dial(t.Context(), "", ""); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Dial(): want %v after Close, got %v", net.ErrClosed, err)
	}
}

// TestDialEnds checks that Dial does not wait longer than its context.
func TestDialEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("boom")
	cancel(cause)
	if _, err := Listen().Dial(ctx, "", ""); !errors.Is(err, cause) {
		t.Errorf("Dial(): want %v, got %v", cause, err)
	}
}
