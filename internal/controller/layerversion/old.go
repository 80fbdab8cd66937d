package layerversion

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// old returns the versions that the policy deletes, oldest first, whether or not functions use them. There are none if
// the layer is not the one in status: the user has changed the annotations. Status may be forged, so that versions that
// other LayerVersions own are left out.
func (e *external) old(ctx context.Context, l *v1beta1.LayerVersion, current version) ([]int64, error) {
	if oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsKeep ||
		!reconcile.Allows(l, xpv2.ManagementActionDelete) ||
		ptr.Deref(l.Status.AtProvider.LayerName, current.layer) != current.layer {
		return nil, nil
	}
	var mine []int64
	for _, n := range oldVersions(l.Status.AtProvider, current.number) {
		may, err := e.mayOwn(ctx, current.layer, n)
		if err != nil {
			return nil, err
		}
		if may {
			mine = append(mine, n)
		}
	}
	return mine, nil
}

// unused returns the old versions that no function uses. It returns none while that is not
// known or is not to be checked yet; the usage has the reason.
func (e *external) unused(ctx context.Context, mg metav1.Object, layer string, old []int64) ([]int64, usage, error) {
	u, now := e.usages.get(mg), e.facts.Now()
	same := slices.Equal(u.checked, old)
	if u.done && same && !meta.WasDeleted(mg) && now.Sub(u.last) < u.pause {
		return nil, u, nil
	}
	if now.Sub(u.last) >= usageAge || !subset(old, u.checked) {
		pause := u.pause
		if !same {
			pause = 0
		}
		u = usage{began: now, used: map[int64]bool{}, pause: pause}
	}
	u.checked = old
	if err := e.survey(ctx, mg, layer, &u); err != nil {
		return nil, u, err
	}
	free := slices.DeleteFunc(slices.Clone(old), func(n int64) bool { return u.problem != "" || u.used[n] })
	if len(free) > 0 {
		u.pause = 0
	} else {
		u.pause = min(max(2*u.pause, firstCheck), mostCheck) //nolint:mnd // It doubles.
	}
	e.usages.store(mg, u)
	return free, u, nil
}

// survey reads the layers of all functions and their versions. If the quota allows no further page, it returns a
// LaterError, and the next reconcile continues from there.
func (e *external) survey(ctx context.Context, mg metav1.Object, layer string, u *usage) error {
	now := e.facts.Now()
	for !u.done {
		if err := e.facts.Reserve(opFunctions); err != nil {
			e.usages.store(mg, *u)
			return err
		}
		if u.pages == mostPages || now.Sub(u.began) > longestSurvey {
			u.done, u.last = true, now
			u.problem = fmt.Sprintf("the list has more than %d pages, or reading it takes more than %s", mostPages,
				longestSurvey)
			return nil
		}
		page, err := e.api.ListFunctions(ctx,
			&lambda.ListFunctionsInput{FunctionVersion: lambdatypes.FunctionVersionAll, Marker: u.marker})
		if awserr.IsAccessDenied(err) || awserr.IsUnsupported(err) || awserr.IsNotFound(err) {
			u.done, u.last, u.problem = true, now, awserr.Sanitize(err).Error()
			return nil
		}
		if err != nil {
			e.usages.store(mg, *u)
			return errors.Wrapf(awserr.Sanitize(err),
				"cannot list functions to check which versions of layer %s they use", layer)
		}
		for i := range page.Functions {
			for _, l := range page.Functions[i].Layers {
				if n, ok := numberOf(ptr.Deref(l.Arn, ""), layer); ok {
					u.used[n] = true
				}
			}
		}
		u.marker, u.last = page.NextMarker, now
		u.pages++
		u.done = ptr.Deref(u.marker, "") == ""
	}
	return nil
}

// cleanUp plans the deletion of the oldest version that may be deleted.
func (e *external) cleanUp(ctx context.Context, l *v1beta1.LayerVersion, o found) (reconcile.Plan, error) {
	p := reconcile.Plan{Ready: reconcile.Available(l.GetGeneration())}
	old, err := e.old(ctx, l, version{layer: layerName(l), number: o.Resource.Version})
	if err != nil {
		return p, err
	}
	if len(old) == 0 {
		e.usages.drop(l.GetUID())
		return p, nil
	}
	if oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsDeleteUnused {
		free, u, err := e.unused(ctx, l, layerName(l), old)
		if err != nil || len(free) == 0 {
			p.Ready = p.Ready.WithMessage(u.message())
			return p, err
		}
		old = free
	}
	e.due = old[0]
	p.Call, p.Changes = opDelete, deletion(e.due)
	p.Followed = p.Changes
	return p, nil
}

// deleteOld deletes a version that was replaced by the given one.
func (e *external) deleteOld(
	ctx context.Context, l *v1beta1.LayerVersion, by version, number int64,
) (reconcile.Result, error) {
	if err := e.deleteVersion(ctx, version{layer: by.layer, number: number}); err != nil {
		return reconcile.Result{}, err
	}
	s := &l.Status.AtProvider
	s.OldVersions = slices.DeleteFunc(oldVersions(*s, by.number), func(n int64) bool { return n == number })
	if ptr.Deref(s.Version, 0) == number {
		s.Version = ptr.To(by.number)
	}
	return reconcile.Result{Part: true}, nil
}

func (e *external) deleteVersion(ctx context.Context, v version) error {
	_, err := e.api.DeleteLayerVersion(ctx, &lambda.DeleteLayerVersionInput{
		LayerName: ptr.To(v.layer), VersionNumber: ptr.To(v.number),
	})
	return errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", v)
}
