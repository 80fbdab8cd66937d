package reporting

import (
	"context"
	"errors"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/grpc"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// service is a change log service that answers when the test lets it.
type service struct {
	entries chan *v1alpha1.ChangeLogEntry
	err     error
}

func (s *service) SendChangeLog(
	ctx context.Context,
	r *v1alpha1.SendChangeLogRequest,
	_ ...grpc.CallOption,
) (*v1alpha1.SendChangeLogResponse, error) {
	select {
	case s.entries <- r.GetEntry():
		return &v1alpha1.SendChangeLogResponse{}, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newLogger(s *service) *ChangeLog { return NewChangeLog(s, logging.NewNopLogger()) }

func logged(name string) *v1alpha1.SendChangeLogRequest {
	return &v1alpha1.SendChangeLogRequest{Entry: &v1alpha1.ChangeLogEntry{Name: name}}
}

func lost(t *testing.T, l *ChangeLog) float64 {
	t.Helper()
	m := &dto.Metric{}
	if err := l.Lost.Write(m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

func TestQueuedEntriesAreSentAtTheEnd(t *testing.T) {
	s := &service{entries: make(chan *v1alpha1.ChangeLogEntry, 1)}
	l := newLogger(s)
	if _, err := l.SendChangeLog(t.Context(), logged("cart")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if got := (<-s.entries).GetName(); got != "cart" {
		t.Errorf("got %q", got)
	}
}

func TestNeverWaits(t *testing.T) {
	l := newLogger(&service{entries: make(chan *v1alpha1.ChangeLogEntry)}) // Nobody answers.
	for range queueLength {
		if _, err := l.SendChangeLog(t.Context(), logged("cart")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.SendChangeLog(t.Context(), logged("cart")); !errors.Is(err, errFull) {
		t.Errorf("want to be told that the entry is lost, got %v", err)
	}
	if got := lost(t, l); got != 1 {
		t.Errorf("want 1 lost entry, got %v", got)
	}
}

func TestErrorsDoNotStopIt(t *testing.T) {
	s := &service{entries: make(chan *v1alpha1.ChangeLogEntry), err: errors.New("boom")}
	l := newLogger(s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Start(ctx) }()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := l.SendChangeLog(t.Context(), logged(name)); err != nil {
			t.Fatal(err)
		}
		if got := (<-s.entries).GetName(); got != name {
			t.Errorf("want entries in order: %s, got %s", name, got)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := lost(t, l); got != 3 {
		t.Errorf("want 3 lost entries, got %v", got)
	}
	if l.NeedLeaderElection() {
		t.Error("entries are sent whoever leads")
	}
}
