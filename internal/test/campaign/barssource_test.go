package campaign

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
)

// source measures functions whose code is a folder each of one Flux source.
func (b *bars) source(t *testing.T) {
	n := 300 / b.scale
	source := fluxtest.New(t) // Its server is a real one, outside of the simulation.
	source.Namespace = Namespace
	b.run(t, func(s *measured) {
		const (
			created = "300 new Functions of one Flux source"
			one     = "an artifact that changes one of 300 folders"
			all     = "an artifact that changes 300 folders"
			rest    = "300 Functions of one Flux source at rest, one poll interval"
		)
		f, reads := &sourceFleet{steadyFleet: s.fleet(n), source: source}, sourceReads{}
		p := s.Start(&Network{Wrap: reads.count}, s.options, func(o *manager.Options) {
			o.SourceHosts, o.SourceLoopback = []string{"127.0.0.1"}, true
		})
		f.publish("r1", func(int) string { return "1" })
		for i := range n {
			fn := f.function(i)
			fn.Spec.ForProvider.Code = &v1beta1.FunctionCode{SourceRef: fluxtest.Ref(f.name(i))}
			fn.Spec.ForProvider.Environment = nil
			s.Create(fn)
		}
		f.deployed("r1")
		b.add(created, "downloads", float64(source.Downloads()), 1)
		time.Sleep(2 * pollInterval)

		release := func(work, revision string, changed func(int) string, most float64) {
			downloads := source.Downloads()
			s.Double.ResetCalls()
			f.publish(revision, changed)
			f.deployed(revision)
			time.Sleep(time.Minute)
			counted := f.counted()
			t.Logf("%s: %v", work, counted)
			b.add(work, "downloads", float64(source.Downloads()-downloads), 1)
			b.add(work, "AWS calls a function", float64(sum(counted))/float64(n), most)
		}
		release(one, "r2", func(i int) string {
			if i == 0 {
				return "2"
			}
			return "1"
		}, 1.1)
		release(all, "r3", func(int) string { return "3" }, 4.5)

		downloads := source.Downloads()
		reads.n.Store(0)
		calls := f.calls(pollInterval)
		t.Logf("calls at rest: %v", calls)
		b.add(rest, "downloads", float64(source.Downloads()-downloads), 0)
		b.add(rest, "reads of the source", float64(reads.n.Load()), 0)
		b.add(rest, "AWS calls a function", float64(sum(calls))/float64(n), 0.1)
		s.stop(p)
	})
}

// A sourceFleet is functions of a GitRepository.
type sourceFleet struct {
	*steadyFleet

	source *fluxtest.Source
}

// publish publishes an artifact with a folder for each function, and writes it to the status of the GitRepository.
func (f *sourceFleet) publish(revision string, content func(i int) string) {
	f.t.Helper()
	files := map[string]string{}
	for i := range f.n {
		files[f.name(i)+"/index.py"] = content(i)
	}
	f.source.Publish(f.t, revision, files)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: flux.Group, Version: "v1", Kind: "GitRepository"})
	u.SetNamespace(Namespace)
	u.SetName("app")
	if err := f.Kube.Get(f.t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
		f.Create(u)
	}
	u.Object["status"] = map[string]any{"artifact": f.source.Artifact()}
	if err := f.Kube.Status().Update(f.t.Context(), u); err != nil {
		f.t.Fatal(err)
	}
}

// deployed waits until all functions have the code of a revision.
func (f *sourceFleet) deployed(revision string) {
	f.t.Helper()
	have := func() (have int) {
		list := &v1beta1.FunctionList{}
		if err := f.Kube.List(f.t.Context(), list, client.InNamespace(Namespace)); err != nil {
			f.t.Fatal(err)
		}
		for i := range list.Items {
			if d := list.Items[i].Status.AtProvider.DeployedCode; d != nil && d.Revision == revision {
				have++
			}
		}
		return have
	}
	if !f.Until(10*time.Minute, func() bool { return have() == f.n && f.ready() == f.n }) {
		f.t.Fatalf("%d of %d functions have revision %s: %s", have(), f.n, revision, f.statuses())
	}
}

// sourceReads counts the requests for sources that the provider sends to the API server, except for watches.
type sourceReads struct{ n atomic.Int64 }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (s *sourceReads) count(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, "/gitrepositories") && r.URL.Query().Get("watch") == "" {
			s.n.Add(1)
		}
		return next.RoundTrip(r)
	})
}
