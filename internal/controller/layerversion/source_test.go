package layerversion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
)

// TestSourceIsPublished follows a layer from one artifact to the next.
func TestSourceIsPublished(t *testing.T) {
	e := newEnv(t)
	e.source = fluxtest.New(t)
	e.source.Publish(t, "main@sha1:1", map[string]string{"layer/python/util.py": "1"})
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.Content = &v1beta1.LayerContent{SourceRef: fluxtest.Ref("layer")}
	})
	e.Converge(l)
	if got := l.Status.AtProvider.PublishedContent; got == nil || got.Revision != "main@sha1:1" {
		t.Errorf("status must have the revision, got %+v", got)
	}
	e.source.Publish(t, "main@sha1:2", map[string]string{"layer/python/util.py": "1", "README.md": "2"})
	if calls := e.Converge(l); len(calls) > 0 || l.Status.AtProvider.PublishedContent.Revision != "main@sha1:2" {
		t.Errorf("the same content is not published again, got %v, %+v", calls, l.Status.AtProvider.PublishedContent)
	}
	e.source.Publish(t, "main@sha1:3", map[string]string{"layer/python/util.py": "3"})
	e.Converge(l)
	if diff := cmp.Diff([]int64{2}, e.versions()); diff != "" {
		t.Errorf("other content is published, and the old version deleted: -want, +got:\n%s", diff)
	}
	downloads := e.source.Downloads()
	e.source.Store = fluxtest.New(t).Store
	if calls := e.Converge(l); len(calls) > 0 || e.source.Downloads() != downloads {
		t.Errorf("a steady layer downloads nothing, not even after a restart, got %v", calls)
	}
}

// TestUnverifiedContentIsTold checks that a layer whose content is not verified says so once a config requires it.
func TestUnverifiedContentIsTold(t *testing.T) {
	e := newEnv(t)
	e.source = fluxtest.New(t)
	e.source.Publish(t, "main@sha1:1", map[string]string{"layer/python/util.py": "1"})
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.Content = &v1beta1.LayerContent{SourceRef: fluxtest.Ref("layer")}
	})
	e.Converge(l)
	e.code = v1beta1.CodePolicy{RequireVerified: true}
	const want = "the deployed code remains in AWS, but is not verified now: spec.forProvider.content.sourceRef: "
	if _, err := e.Do(l); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	e.source.Verify("verified signature of 1")
	if calls := e.Converge(l); len(calls) > 0 || l.Status.AtProvider.PublishedContent.Verified == "" {
		t.Errorf("once it is verified, all is well, got %v, %+v", calls, l.Status.AtProvider.PublishedContent)
	}
}

// TestUnverifiedContentIsNotPublished checks the policy of a config for layers.
func TestUnverifiedContentIsNotPublished(t *testing.T) {
	e := newEnv(t)
	e.source = fluxtest.New(t)
	e.source.Publish(t, "main@sha1:1", map[string]string{"layer/python/util.py": "1"})
	e.code = v1beta1.CodePolicy{RequireVerified: true}
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.Content = &v1beta1.LayerContent{SourceRef: fluxtest.Ref("layer")}
	})
	for range 3 {
		if _, err := e.Do(
			l,
		); err == nil ||
			!strings.Contains(
				err.Error(),
				"spec.forProvider.content.sourceRef: the provider config requires verified code",
			) {
			t.Errorf("got %v", err)
		}
	}
	if n := e.Double.Count("PublishLayerVersion"); n > 0 {
		t.Errorf("%d versions are published", n)
	}
	e.source.Verify("verified signature of 1")
	e.Converge(l)
	if got := l.Status.AtProvider.PublishedContent; got == nil || got.Verified != "verified signature of 1" {
		t.Errorf("got %+v", got)
	}
	// Not even another description publishes content that is not verified any more.
	e.source.Verify("")
	e.Double.ResetCalls()
	l.Spec.ForProvider.Description = new(string)
	*l.Spec.ForProvider.Description = "other"
	l.Generation++
	if _, err := e.Do(l); err == nil || e.Double.Count("PublishLayerVersion") > 0 {
		t.Errorf("got %v", err)
	}
}
