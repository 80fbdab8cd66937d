package doctor

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// Codes of Flux sources whose resources are Synced, and yet get no later code.
const (
	// sourceNotReady is a source whose present revision Flux cannot fetch or verify.
	sourceNotReady advice.Code = "SourceNotReady"

	// sourceSuspended is a source that Flux does not fetch.
	sourceSuspended advice.Code = "SourceSuspended"

	// sourceNotVerified is a source whose next artifact the provider rejects, since the config requires verified code.
	sourceNotVerified advice.Code = "SourceNotVerified"
)

// deploys records the Flux source of a resource, if it has one. The condition Synced of a resource that is not Synced
// says already what is wrong with its source.
func (c *collector) deploys(mg managed) {
	ref := sourceOf(mg)
	if ref == nil || mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionTrue {
		return
	}
	f := archive.Source{Flux: ref}.Fields()[0]
	of := source{apiVersion: f.APIVersion, kind: f.Kind, namespace: mg.GetNamespace(), name: f.Name}
	by := config{}
	if p := mg.GetProviderConfigReference(); p != nil {
		by = config{kind: p.Kind, name: p.Name}
	}
	if by.kind == v1beta1.ProviderConfigKind {
		by.namespace = mg.GetNamespace()
	}
	c.deployments = append(c.deployments, deployment{of, by})
}

// sourceOf returns the Flux source of the code of a resource, nil if it has none.
func sourceOf(mg managed) *v1beta1.SourceReference {
	switch r := mg.(type) {
	case *v1beta1.Function:
		if c := r.Spec.ForProvider.Code; c != nil {
			return c.SourceRef
		}
	case *v1beta1.LayerVersion:
		if c := r.Spec.ForProvider.Content; c != nil {
			return c.SourceRef
		}
	}
	return nil
}

// artifacts collects the findings about the Flux sources that resources use.
func (c *collector) artifacts(ctx context.Context) error {
	read := map[source]bool{}
	for _, d := range c.deployments {
		of := d.from
		if read[of] {
			continue
		}
		read[of] = true
		gvr, _ := kmeta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(of.apiVersion, of.kind))
		u, err := c.client.Resource(gvr).Namespace(of.namespace).Get(ctx, of.name, metav1.GetOptions{})
		switch {
		case kerrors.IsNotFound(err): // It was deleted just now: Synced will say so.
			continue
		case kerrors.IsForbidden(err):
			c.report.leaveOut(gvr.Resource + ": " + kubectl.OneLine(err.Error()))
			continue
		case err != nil:
			return fmt.Errorf("cannot read %s %s/%s: %w", of.kind, of.namespace, of.name, err)
		}
		requireVerified := slices.ContainsFunc(c.deployments,
			func(d deployment) bool { return d.from == of && c.verified[d.by] })
		c.report.add(of.kind, of.namespace, of.name, advice.Reported(u, ofSource(u, requireVerified))...)
	}
	return nil
}

// ofSource returns the finding about a Flux source that has an artifact, but brings no later one.
func ofSource(u *unstructured.Unstructured, requireVerified bool) []advice.Finding {
	s, err := flux.Parse(flux.Summarize(u))
	if err != nil {
		return nil // Without an artifact, Synced of what uses it says so.
	}
	stay := "resources that use it stay at revision " + kubectl.OneLine(s.Revision)
	suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend")
	ready, message := flux.Ready(u)
	f := advice.Finding{Severity: advice.Warning}
	switch {
	case suspended:
		f.Code, f.Severity, f.Message = sourceSuspended, advice.Info, stay
		f.Action = "resume the source in Flux, or leave it suspended as long as no later code is to be deployed"
	case ready == "False":
		f.Code, f.Message = sourceNotReady, stay+": "+kubectl.OneLine(message)
		f.Action = "correct what the condition Ready of the source names"
	case ready == "True" && requireVerified && s.Verified == "":
		f.Code, f.Message = sourceNotVerified, stay+": "+kubectl.OneLine(s.Unverified)
		f.Action = "correct the source: the provider config requires verified code, so the next artifact is rejected"
	default:
		return nil
	}
	return []advice.Finding{f}
}
