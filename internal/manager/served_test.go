package manager

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/crossplane-runtime/v2/pkg/gate"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A slowMapper finds a kind only at the third request.
type slowMapper struct {
	kmeta.RESTMapper

	requested atomic.Int32
}

func (m *slowMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*kmeta.RESTMapping, error) {
	if m.requested.Add(1) < 3 {
		return nil, &kmeta.NoKindMatchError{GroupKind: gk, SearchedVersions: versions}
	}
	return &kmeta.RESTMapping{}, nil
}

func TestServedGate(t *testing.T) {
	m := &slowMapper{}
	g := &servedGate{Gate: new(gate.Gate[schema.GroupVersionKind]), mapper: m, log: logr.Discard()}
	opened := make(chan error, 1)
	g.Register(func() {
		if n := m.requested.Load(); n != 3 {
			opened <- errors.New("it opened before the kind was served")
			return
		}
		opened <- nil
	}, v1beta1.AliasGroupVersionKind)
	if m.requested.Load() != 0 {
		t.Error("it asks for a kind that is not established")
	}
	g.Set(v1beta1.AliasGroupVersionKind, true)
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
