package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	corev1 "k8s.io/api/core/v1"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	rollouts "github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// maxEvents limits the events that are shown.
const maxEvents = 10

// A reader reads what belongs to a Function from its namespace.
type reader struct {
	client dynamic.Interface
	fn     *v1beta1.Function
	page   *page
}

// collect reads everything about the Function.
func (r *reader) collect(ctx context.Context) error {
	p := newPage(r.fn)
	r.page = p
	r.relate(kubectl.Functions.Singular, r.fn)
	for _, read := range []func() error{
		func() error { return resources(ctx, r, "version", &p.Versions.Resources, newVersion) },
		func() error { return resources(ctx, r, "alias", &p.Aliases, newAlias) },
		func() error { return resources(ctx, r, "eventsourcemapping", &p.EventSourceMappings, newMapping) },
		func() error { return resources(ctx, r, "functionurl", &p.URLs, newURL) },
		func() error { return resources(ctx, r, "permission", &p.Permissions, newPermission) },
		func() error {
			return resources(ctx, r, "provisionedconcurrencyconfig", &p.ProvisionedConcurrency, newProvisioned)
		},
		func() error { return resources(ctx, r, "functioneventinvokeconfig", &p.Invocations, newAsynchronous) },
		func() error { return r.events(ctx) },
	} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// readRetention reads from AWS for how long the log of the Function is kept. If it cannot, the page says so.
func (r *reader) readRetention(ctx context.Context, flags *awsconfig.Flags) error {
	cfg, err := flags.Load(ctx, r.fn.Spec.ForProvider.Region)
	if err != nil {
		return err
	}
	days, err := awsconfig.LogRetentionOf(ctx, cloudwatchlogs.NewFromConfig(cfg), r.fn)
	if err != nil {
		err = awsconfig.Explain("read the retention of log group "+kubectl.LogGroupOf(r.fn), err)
	}
	switch {
	case errors.Is(err, kubectl.ErrInterrupted):
		return err
	case err != nil:
		r.page.NotShown = append(r.page.NotShown, err.Error())
	case days == nil:
		r.page.NotShown = append(r.page.NotShown,
			"retention of the log: the account of the credentials of this machine "+
				"does not have its log group. AWS creates it when the function first logs")
	case *days == 0:
		r.page.Function.Settings.LogRetention = "never expires: " + advice.OfLogGroup(kubectl.LogGroupOf(r.fn)).Action
	default:
		r.page.Function.Settings.LogRetention = fmt.Sprintf("expires after %d days", *days)
	}
	return nil
}

// A managed is a managed resource of the provider.
type managed interface {
	GetName() string
	GetCondition(t xpv2.ConditionType) xpv2.Condition
	GetSummary() v1beta1.Summary
}

// resources adds the resources of a kind that belong to the Function to a list of the page, as convert returns them.
func resources[T, R any, PT interface {
	*T
	managed
}](ctx context.Context, r *reader, singular string, to *[]R, convert func(related, PT) R) error {
	plural, _ := kmeta.UnsafeGuessKindToResource(v1beta1.SchemeGroupVersion.WithKind(singular))
	return r.list(ctx, plural, "", func(u *unstructured.Unstructured) error {
		if belongs, err := r.owns(u); err != nil || !belongs {
			return err
		}
		obj := PT(new(T))
		if err := kubectl.Decode(u, obj); err != nil {
			return err
		}
		*to = append(*to, convert(r.relate(singular, obj), obj))
		return nil
	})
}

// list calls a function with each object of a type in the Function's namespace. If the user may not list them, the page
// says so.
func (r *reader) list(
	ctx context.Context, of schema.GroupVersionResource, fields string, each func(*unstructured.Unstructured) error,
) error {
	notShown, err := kubectl.List(ctx, r.client, of, r.fn.Namespace, metav1.ListOptions{FieldSelector: fields}, each)
	if notShown != "" {
		r.page.NotShown = append(r.page.NotShown, notShown)
	}
	return err
}

// A target has the fields by which a resource names its function.
type target struct {
	Spec struct {
		ForProvider struct {
			Region          string                    `json:"region"`
			FunctionName    string                    `json:"functionName"`
			FunctionNameRef *xpv2.NamespacedReference `json:"functionNameRef"`
		} `json:"forProvider"`
	} `json:"spec"`
	Status struct {
		AtProvider struct {
			FunctionName string `json:"functionName"`
			FunctionArn  string `json:"functionArn"`
			AliasArn     string `json:"aliasArn"`
		} `json:"atProvider"`
	} `json:"status"`
}

// owns reports whether a resource names the Function. Accounts decide if both are known, since functions of several
// accounts may have the same name.
func (r *reader) owns(u *unstructured.Unstructured) (bool, error) {
	t := target{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &t); err != nil {
		return false, err
	}
	p, o := t.Spec.ForProvider, t.Status.AtProvider
	arn, ref := cmp.Or(o.FunctionArn, o.AliasArn), p.FunctionNameRef
	switch own := r.page.Function.ARN; {
	case own != "" && arn != "":
		return arn == own || strings.HasPrefix(arn, own+":"), nil
	case ref != nil && ref.Name == r.fn.Name && cmp.Or(ref.Namespace, r.fn.Namespace) == r.fn.Namespace:
		return true, nil
	}
	named, ok := functionname.ParseReference(cmp.Or(o.FunctionName, p.FunctionName))
	own, _ := functionname.ParseReference(cmp.Or(r.page.Function.ARN, kubectl.FunctionName(r.fn)))
	return ok && named.Function == own.Function && cmp.Or(named.Region, p.Region) == r.fn.Spec.ForProvider.Region &&
		(named.Account == own.Account || named.Account == "" || own.Account == ""), nil
}

// isMoving reports whether a resource is an Alias whose rollout continues, or that the user has undone.
func isMoving(mg managed) bool {
	a, ok := mg.(*v1beta1.Alias)
	if !ok || a.Status.Rollout == nil {
		return false
	}
	s := a.Status.Rollout
	return rollouts.InProgress(s) && s.Step != v1beta1.RolloutPaused || kubectl.IsUndone(s)
}

// relate returns the state of a resource, and adds its differences and problems to the page.
func (r *reader) relate(kind string, mg managed) related {
	s := mg.GetSummary()
	name := kind + "/" + mg.GetName()
	for _, d := range s.Differences {
		r.page.Differences = append(r.page.Differences, difference{Resource: name, Difference: d})
	}
	ready, synced := mg.GetCondition(xpv2.TypeReady), mg.GetCondition(xpv2.TypeSynced)
	for _, c := range []xpv2.Condition{synced, ready} {
		if c.Status == corev1.ConditionFalse && !(c.Type == xpv2.TypeReady && isMoving(mg)) {
			message := cmp.Or(s.Message, c.Message, string(c.Reason))
			r.page.Problems = append(r.page.Problems, problem{Resource: name, Message: message})
			break
		}
	}
	status := string(cmp.Or(ready.Status, corev1.ConditionUnknown))
	return related{Name: mg.GetName(), Ready: status, Phase: s.Phase, Message: s.Message}
}

// events reads the last events of the Function, the latest first.
func (r *reader) events(ctx context.Context) error {
	about := fields.Set{"involvedObject.kind": v1beta1.FunctionKind, "involvedObject.name": r.fn.Name}.AsSelector()
	events := corev1.SchemeGroupVersion.WithResource("events")
	err := r.list(ctx, events, about.String(), func(u *unstructured.Unstructured) error {
		e := &corev1.Event{}
		if err := kubectl.Decode(u, e); err != nil {
			return err
		}
		if e.InvolvedObject.UID != "" && e.InvolvedObject.UID != r.fn.UID {
			return nil // It was of a Function that was deleted.
		}
		shown := event{
			Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(e.Count, 1),
			Last: e.LastTimestamp,
		}
		if e.LastTimestamp.IsZero() {
			shown.Last = metav1.Time{Time: e.EventTime.Time}
		}
		r.page.Events = append(r.page.Events, shown)
		return nil
	})
	slices.SortStableFunc(r.page.Events, func(a, b event) int { return b.Last.Compare(a.Last.Time) })
	r.page.Events = r.page.Events[:min(len(r.page.Events), maxEvents)]
	return err
}
