package reporting

import (
	"context"
	"errors"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/grpc"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// service is a change log service that answers when the test lets it.
type service struct {
	entries chan *v1alpha1.ChangeLogEntry
	err     error
}

func (s *service) SendChangeLog(ctx context.Context, r *v1alpha1.SendChangeLogRequest, _ ...grpc.CallOption) (*v1alpha1.SendChangeLogResponse, error) {
	select {
	case s.entries <- r.GetEntry():
		return &v1alpha1.SendChangeLogResponse{}, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newLogger(s *service, queue int) *ChangeLog {
	return NewChangeLog(s, ChangeLogOptions{ProviderVersion: "provider-lambda:v1", Queue: queue, Now: func() time.Time { return at }, Log: logging.NewNopLogger()})
}

func logged(name string) *samples.Sample {
	mg := &samples.Sample{Spec: samples.SampleSpec{Value: "a"}}
	mg.SetGroupVersionKind(samples.GVK)
	mg.SetName(name)
	meta.SetExternalName(mg, name+"-fn")
	return mg
}

func lost(t *testing.T, l *ChangeLog) float64 {
	t.Helper()
	m := &dto.Metric{}
	if err := l.lost.Write(m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

const op = v1alpha1.OperationType_OPERATION_TYPE_UPDATE

func TestEntry(t *testing.T) {
	s := &service{entries: make(chan *v1alpha1.ChangeLogEntry, 1)}
	l := newLogger(s, 1)
	if err := l.Log(t.Context(), logged("cart"), op, errors.New("boom"), map[string]string{"call": "UpdateFunctionCode"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // Queued entries are sent even at the end.
	if err := l.Start(ctx); err != nil {
		t.Fatal(err)
	}
	e := <-s.entries
	if e.GetName() != "cart" || e.GetExternalName() != "cart-fn" || e.GetKind() != "Sample" || e.GetApiVersion() != "test.lambda.aws.m.crossplane.io/v1" ||
		e.GetProvider() != "provider-lambda:v1" || e.GetOperation() != op || e.GetErrorMessage() != "boom" ||
		e.GetAdditionalDetails()["call"] != "UpdateFunctionCode" || !e.GetTimestamp().AsTime().Equal(at) {
		t.Errorf("got %v", e)
	}
	if got := e.GetSnapshot().GetFields()["spec"].GetStructValue().GetFields()["value"].GetStringValue(); got != "a" {
		t.Errorf("want the resource in the snapshot, got %q", got)
	}
}

func TestNeverWaits(t *testing.T) {
	l := newLogger(&service{entries: make(chan *v1alpha1.ChangeLogEntry)}, 2) // Nobody answers.
	for range 2 {
		if err := l.Log(t.Context(), logged("cart"), op, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Log(t.Context(), logged("cart"), op, nil, nil); !errors.Is(err, errFull) {
		t.Errorf("want to be told that the entry is lost, got %v", err)
	}
	if got := lost(t, l); got != 1 {
		t.Errorf("want 1 lost entry, got %v", got)
	}
}

func TestErrorsDoNotStopIt(t *testing.T) {
	s := &service{entries: make(chan *v1alpha1.ChangeLogEntry), err: errors.New("boom")}
	l := newLogger(s, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Start(ctx) }()
	for _, name := range []string{"a", "b", "c"} {
		if err := l.Log(t.Context(), logged(name), op, nil, nil); err != nil {
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
