// Package tagging compares and changes the tags of an external resource with the calls that AWS has for tags alone.
package tagging

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that change tags.
const (
	OpTag   = "TagResource"
	OpUntag = "UntagResource"
)

// NotReturned is the message of Ready if AWS does not return the tags of an external resource.
const NotReturned = "AWS does not return its tags, so they are neither compared nor set"

// An Owner is the owner of external resources, and how their tags record it.
type Owner struct {
	// Kind as ownership.Tags takes it.
	Kind string

	// ClusterID identifies the cluster that owns an external resource.
	ClusterID string

	// Config is the name of the resource's provider config.
	Config string

	// Defaults are the provider config's tags, which the resource's own override.
	Defaults map[string]string

	// Ignore reports whether the provider config leaves a tag alone.
	Ignore func(key string) bool
}

// NewOwner returns the owner for a resource, in a session of its provider config.
func NewOwner(mg resource.ModernManaged, kind, clusterID string, s *session.Session) Owner {
	return Owner{
		Kind:      kind,
		ClusterID: clusterID,
		Config:    mg.GetProviderConfigReference().Name,
		Defaults:  s.Tags,
		Ignore:    s.IgnoreTags.Match,
	}
}

// Desired returns the tags that a resource's external resource should have, given those of spec.forProvider. Those of
// spec.initProvider are merged with them later, and override the config's as well.
func (o Owner) Desired(mg metav1.Object, forProvider, initProvider map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range o.Defaults {
		if _, ok := initProvider[k]; !ok {
			out[k] = v
		}
	}
	maps.Copy(out, forProvider)
	maps.Copy(out, ownership.Tags(mg, o.ClusterID, o.Config, o.Kind))
	return out
}

// Target returns the desired tags, with those that the config ignores as they are in AWS. AWS's own are always ignored,
// see session.IgnoreTags. Those that record the owner never are: without them, nobody finds what an unanswered create
// has made.
func (o Owner) Target(desired, have map[string]string) map[string]string {
	ignored := func(k string) bool {
		return o.Ignore(k) && !slices.Contains(ownership.Keys(), k) || session.IgnoreTags{}.Match(k)
	}
	out := map[string]string{}
	for k, v := range desired {
		if !ignored(k) {
			out[k] = v
		}
	}
	for k, v := range have {
		if ignored(k) {
			out[k] = v
		}
	}
	return out
}

// TargetIfReturned returns the target tags if AWS returns the current ones. If have is nil, AWS does
// not return them, and there is nothing to compare.
func (o Owner) TargetIfReturned(desired, have map[string]string) map[string]string {
	if have == nil {
		return nil
	}
	return o.Target(desired, have)
}

// CheckOwnership returns the ownership of an external resource by its tags. named is ownership.Expected.Named; what
// describes the external resource to users. It returns an error that says why the external resource is not owned.
func (o Owner) CheckOwnership(
	ctx context.Context, others *reconcile.Others, mg metav1.Object, tags map[string]string, named bool, what string,
) (ownership.Ownership, error) {
	expected := ownership.Expected{Kind: o.Kind, ClusterID: o.ClusterID, Named: named}
	v := ownership.CheckOwnership(tags, mg, expected)
	if err := others.CheckOwner(ctx, tags, v, expected, what); err != nil {
		return ownership.Foreign, err
	}
	if !v.Manageable() {
		return v, ownership.NewForeignError(what, tags, expected)
	}
	return v, nil
}

// Read returns the tags of an external resource that AWS returns only by a call of their own, nil if it does not return
// them. A resource that only observes may also read the tags of others' external resources.
func Read(
	ctx context.Context, mg resource.Managed, arn string, m *readcache.TagCache,
	api readcache.TagLister,
) (map[string]string, error) {
	if ownership.ObserveOnly(mg) {
		return m.Show(ctx, mg, arn, api)
	}
	return m.Read(ctx, mg, arn, api)
}

// Ready returns the Ready condition with a message if AWS does not return the tags.
func Ready(mg resource.Managed, tags map[string]string, ready xpv2.Condition) xpv2.Condition {
	if tags == nil && ready.Message == "" && !ownership.ObserveOnly(mg) {
		return ready.WithMessage(NotReturned)
	}
	return ready
}

// Calls returns the calls that make the changes: first the one that changes tags, because
// they record the owner, and then update, if it makes any of the rest. It has outdated
// tags read again before any call, by a reconcile.LaterError, and those that change read again after it.
func Calls(
	mg metav1.Object, m *readcache.TagCache, want, have map[string]string, changes, rest diff.Changes, update string,
) ([]reconcile.PlannedCall, error) {
	var calls []reconcile.PlannedCall
	if call := Due(want, have); call != "" {
		calls = append(calls, reconcile.PlannedCall{Call: call, Applies: Applied(call, changes)})
	}
	if len(rest) > 0 {
		calls = append(calls, reconcile.PlannedCall{Call: update, Applies: rest})
	}
	switch {
	case len(calls) == 0:
	case m.Outdated(mg):
		return nil, reconcile.WaitFor(reconcile.AtOnce)
	case calls[0].Call != update:
		m.Forget(mg)
	}
	return calls, nil
}

// Applied returns the changes that a call makes: OpUntag removes tags, and OpTag adds and changes them.
func Applied(call string, changes diff.Changes) diff.Changes {
	return slices.DeleteFunc(changes.In("tags"), func(c diff.Change) bool { return (c.New == "") != (call == OpUntag) })
}

// maxTags is the number of tags that AWS allows on a resource. AWS's own do not count.
const maxTags = 50

// Due returns the first call that leads from the current tags to the desired ones: OpTag, OpUntag, or none. Tags are
// added first, unless AWS would reject them because there are too many until others are removed.
func Due(want, have map[string]string) string {
	added, removed := missing(want, have), surplus(want, have)
	switch {
	case len(removed) > 0 && (len(added) == 0 || count(have, added) > maxTags):
		return OpUntag
	case len(added) > 0:
		return OpTag
	}
	return ""
}

// count returns the number of tags that a resource would have with more of them, without AWS's own.
func count(have, added map[string]string) int {
	all := maps.Clone(have)
	maps.Copy(all, added)
	maps.DeleteFunc(all, func(k, _ string) bool { return session.IgnoreTags{}.Match(k) })
	return len(all)
}

// A Writer makes the two calls. *lambda.Client is one.
type Writer interface {
	TagResource(ctx context.Context, in *lambda.TagResourceInput,
		opts ...func(*lambda.Options)) (*lambda.TagResourceOutput, error)
	UntagResource(ctx context.Context, in *lambda.UntagResourceInput,
		opts ...func(*lambda.Options)) (*lambda.UntagResourceOutput, error)
}

// Apply makes the call that Due returns. It returns an error if AWS has not shown the ARN, as emulators may not.
func Apply(ctx context.Context, api Writer, arn string, want, have map[string]string) error {
	if arn == "" {
		return reconcile.Invalid(errors.New("AWS's answer lacks the ARN, by which tags are set"))
	}
	if Due(want, have) == OpTag {
		_, err := api.TagResource(ctx, &lambda.TagResourceInput{Resource: &arn, Tags: missing(want, have)})
		return err
	}
	_, err := api.UntagResource(ctx, &lambda.UntagResourceInput{Resource: &arn, TagKeys: surplus(want, have)})
	return err
}

func missing(want, have map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range want {
		if old, ok := have[k]; !ok || old != v {
			out[k] = v
		}
	}
	return out
}

func surplus(want, have map[string]string) []string {
	var out []string
	for k := range have {
		if _, ok := want[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
