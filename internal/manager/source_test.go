package manager

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
)

// gitRepository is the definition of a kind of Flux.
var gitRepository = schema.GroupVersionKind{Group: flux.Group, Version: "v1", Kind: "GitRepository"}

// publish publishes an artifact, and writes it to the status of the GitRepository, as source-controller does.
func (r *fieldsEnv) publish(s *fluxtest.Source, revision string, files map[string]string) *unstructured.Unstructured {
	r.Helper()
	s.Publish(r, revision, files)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gitRepository)
	u.SetNamespace(r.ns)
	u.SetName("app")
	if _, err := controllerutil.CreateOrUpdate(r.Context(), r.kube, u, func() error {
		u.Object["status"] = map[string]any{"artifact": s.Artifact()}
		return nil
	}); err != nil {
		r.Fatal(err)
	}
	return u
}

// deployedFrom waits until all Functions have the code of a revision.
func (r *fieldsEnv) deployedFrom(revision string, functions ...*v1beta1.Function) {
	r.Helper()
	r.until("the functions have revision "+revision, func() bool {
		for _, f := range functions {
			r.get(f)
			d := f.Status.AtProvider.DeployedCode
			if !isReady(f) || d == nil || d.Revision != revision ||
				d.CodeSHA256 != ptr.Deref(f.Status.AtProvider.CodeSHA256, "") {
				return false
			}
		}
		return true
	})
}

// TestSource creates Functions of a Flux source in a cluster that does not even have Flux yet. A new artifact is
// deployed to all of them by the watch alone, and downloaded once.
func TestSource(t *testing.T) {
	t.Parallel()
	const functions = 10
	r := newFieldsEnv(t)
	source := fluxtest.New(t)
	source.Namespace = r.ns
	files := func(content string) map[string]string {
		all := map[string]string{}
		for i := range functions {
			all[fmt.Sprintf("f%d/index.py", i)] = content + fmt.Sprint(i)
		}
		return all
	}
	all := make([]*v1beta1.Function, functions)
	for i := range all {
		all[i] = r.function(fmt.Sprintf("f%d", i), func(f *v1beta1.Function) {
			f.Spec.ForProvider.Code = &v1beta1.FunctionCode{SourceRef: fluxtest.Ref(f.Name)}
		})
		r.create(all[i])
	}
	r.f = all[0]
	r.untilSynced("the cluster has no kind GitRepository in source.toolkit.fluxcd.io/v1 (cannot read " +
		"spec.forProvider.code.sourceRef: cannot read GitRepository " + r.ns + "/app)")

	r.defineKind(gitRepository)
	r.grantFile("../../examples/gitops/rbac.yaml")
	r.until("sources are watched", func() bool {
		return strings.Contains(r.logs.String(), "Watching objects that specs refer to")
	})
	object := r.publish(source, "main@sha1:1", files("a"))
	r.deployedFrom("main@sha1:1", all...)
	if n := source.Downloads(); n != 1 {
		t.Errorf("%d downloads for %d functions, want 1", n, functions)
	}

	updates := func() int { return r.double.Count("UpdateFunctionCode") }
	before, reads := updates(), r.double.Count("GetFunction")
	changed := files("a")
	changed["f0/index.py"] = "b"
	r.publish(source, "main@sha1:2", changed)
	r.deployedFrom("main@sha1:2", all...)
	if n := updates() - before; n != 1 || source.Downloads() != 2 {
		t.Errorf(
			"%d updates and %d downloads: only the function whose folder has changed is updated",
			n,
			source.Downloads(),
		)
	}
	t.Logf("%d calls of GetFunction for a new artifact of %d functions", r.double.Count("GetFunction")-reads, functions)

	// A source that is deleted and made again, with other code.
	if err := r.kube.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	r.untilSynced("GitRepository " + r.ns + "/app does not exist")
	before = updates()
	r.publish(source, "main@sha1:3", files("c"))
	r.deployedFrom("main@sha1:3", all...)
	if n := updates() - before; n != functions {
		t.Errorf("%d updates, want %d", n, functions)
	}
	for _, f := range all {
		r.remove(f)
	}
	for _, f := range all {
		r.gone(f)
	}
}
