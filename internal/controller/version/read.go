package version

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// pollAge is the age of an answer about a version that a poll accepts: only the state of a version ever changes.
const pollAge = 30 * time.Minute

// active reports whether AWS had prepared the version at the last reconcile.
func active(v *v1beta1.Version) bool {
	s := v.Status.AtProvider.State
	return s != nil && prepared(types.State(*s))
}

// read reads the function and the version that was published last.
func (e *external) read(ctx context.Context, f reconcile.Facts, v *v1beta1.Version) (found, error) {
	e.facts = f
	name, err := nameOf(v)
	if err != nil {
		return found{}, err
	}
	if e.function, err = functionOf(v); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	switch deleted := meta.WasDeleted(v); {
	case e.function == "" && deleted: // It has published nothing.
		return found{}, nil
	case e.function == "":
		return found{}, reconcile.Invalid(errors.New("no function is named: set spec.forProvider.functionName"))
	case deleted:
		return e.readDeleted(ctx, v, name)
	}
	o := observed{}
	if !reconcile.ObserveOnly(v) {
		if o.function, err = e.get(ctx, ""); err != nil {
			return found{}, err
		}
		if o.function == nil {
			return found{}, reconcile.Ambiguous(errors.Errorf("function %s does not exist in %s", e.function,
				v.Spec.ForProvider.Region))
		}
	}
	name, nothing, err := e.recover(ctx, v, name, &o)
	if err != nil {
		return found{}, err
	}
	if o.version, err = e.version(ctx, name); err != nil {
		return found{Annotate: nothing}, err
	}
	e.recordCode(ctx, v, o.version)
	effects, err := e.readAuxiliary(ctx, v, &o)
	e.found = o
	return found{
		Effects: effects, Annotate: nothing, Resource: o, Exists: o.version != nil, Name: name,
		Description: e.description(name), Parent: e.function,
	}, err
}

// recover returns the version that was published by a call without an answer. Until that is found, or known not to
// exist, it returns the previous version. If it does not exist, the record says so. Which publishTrigger the call
// served is not known: AWS is asked again, and returns the same version if nothing has changed.
func (e *external) recover(
	ctx context.Context, v *v1beta1.Version, name string, o *observed,
) (string, reconcile.Record, error) {
	i, recorded := versions.IntentOf(v)
	s := &v.Status.AtProvider
	if !recorded || reconcile.ObserveOnly(v) || v.Spec.ForProvider.PublishTo != nil ||
		versions.Number(name) > i.Before {
		return name, reconcile.Record{}, nil
	}
	var err error
	if o.versions, err = e.list(ctx, v); err != nil {
		return name, reconcile.Record{}, err
	}
	switch lost, known := i.LedTo(o.versions, contentOf); {
	case lost != "":
		e.restore(s, lost, i)
		return lost, reconcile.Record{}, nil
	case meta.WasDeleted(v): // AWS may not list it yet.
		wait := e.facts.Repeats.Confirm("absence of a version", reconcile.AbsentReportsNamed, e.facts.Now())
		if wait > 0 {
			err = reconcile.WaitFor(wait)
		}
		return name, reconcile.Record{}, err
	case !known:
		return name, reconcile.Record{}, nil
	}
	return name, reconcile.Record{
		Annotations: map[string]string{v1beta1.AnnotationIntent: ""},
		Failure:     "cannot record that nothing was published",
	}, nil
}

// restore records a version that an intent has led to in status, which may not have been written since.
func (e *external) restore(s *v1beta1.VersionObservation, name string, i versions.Intent) {
	s.PublishedFingerprint = ptr.To(i.Fingerprint)
	if versions.Remember(&s.VersionHistory, name, i.Fingerprint) {
		e.restored = true
	}
}

// readDeleted reads what is still to be deleted: with a history limit, the resource's
// earlier versions before the last one.
func (e *external) readDeleted(ctx context.Context, v *v1beta1.Version, name string) (found, error) {
	name, nothing, err := e.recover(ctx, v, name, &observed{})
	if err != nil || name == "" {
		return found{Annotate: nothing}, err
	}
	s := &v.Status.AtProvider
	if earlier := versions.Earlier(&s.VersionHistory, name); v.Spec.ForProvider.HistoryLimit != nil &&
		len(earlier) > 0 {
		oldest := earlier[len(earlier)-1]
		by, err := e.pruner(v, s.FunctionArn).UsedBy(ctx, oldest)
		return found{
			Annotate: nothing, Resource: observed{usedBy: by}, Exists: true, Name: oldest,
			Description: e.description(oldest),
		}, err
	}
	c, err := e.get(ctx, name)
	return found{
		Annotate: nothing, Resource: observed{version: c}, Exists: c != nil, Name: name,
		Description: e.description(name),
	}, err
}

// readAuxiliary reads what a call that is due needs.
func (e *external) readAuxiliary(ctx context.Context, v *v1beta1.Version, o *observed) (reconcile.Effects, error) {
	if o.function == nil {
		return reconcile.Effects{}, nil
	}
	var err error
	if o.version == nil || len(due(v, *o)) > 0 {
		if o.unready, err = e.unready(ctx, v); err != nil {
			return reconcile.Effects{}, err
		}
		if why, _ := hindrance(v.Spec.ForProvider, *o); why == "" && o.versions == nil {
			o.versions, err = e.list(ctx, v)
		}
		return reconcile.Effects{}, err
	}
	var effects reconcile.Effects
	o.unused, effects, o.unknown = e.unused(ctx, v, *o)
	return effects, nil
}

// unready returns a message if the Function that spec refers to is not Ready.
func (e *external) unready(ctx context.Context, v *v1beta1.Version) (string, error) {
	ref := v.Spec.ForProvider.FunctionNameRef
	if ref == nil {
		return "", nil
	}
	key, f := client.ObjectKey{Namespace: cmp.Or(ref.Namespace, v.GetNamespace()), Name: ref.Name}, &v1beta1.Function{}
	err := e.functions.Get(ctx, key, f)
	if kerrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", errors.Wrapf(err, "cannot get Function %s", key)
	}
	if f.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue ||
		f.GetCondition(xpv2.TypeReady).ObservedGeneration != f.GetGeneration() {
		return "Function " + key.String() + " is not Ready yet", nil
	}
	return "", nil
}

// recordCode records the revision of a version's code, if the Function that spec refers to has deployed this code.
func (e *external) recordCode(ctx context.Context, v *v1beta1.Version, c *types.FunctionConfiguration) {
	if c == nil {
		return
	}
	s, f := &v.Status.AtProvider, &v1beta1.Function{}
	name, sum := ptr.Deref(c.Version, ""), ptr.Deref(c.CodeSha256, "")
	if _, known := publishedcode.Of(s.PublishedCode, name); known && ptr.Deref(s.CodeSHA256, "") == sum {
		return
	}
	var deployed *v1beta1.DeployedCode
	if publishedcode.Referenced(ctx, e.functions, v.GetNamespace(), v.Spec.ForProvider.FunctionNameRef, f) {
		deployed = f.Status.AtProvider.DeployedCode
	}
	s.PublishedCode = publishedcode.Record(s.PublishedCode, name, sum, deployed)
}

// unused returns a version beyond the limit that nothing uses, if there is one.
func (e *external) unused(ctx context.Context, v *v1beta1.Version, o observed) (string, reconcile.Effects, error) {
	if !reconcile.Allows(v, xpv2.ManagementActionUpdate) {
		return "", reconcile.Effects{}, nil
	}
	p := e.pruner(v, o.function.FunctionArn)
	excess := versions.Excess(
		p.History, v.Spec.ForProvider.HistoryLimit, wanted(v.Status.AtProvider, o.version)...,
	)
	return p.Unused(ctx, excess)
}
