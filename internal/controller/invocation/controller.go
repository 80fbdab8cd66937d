// Package invocation invokes AWS Lambda functions, once for each input.
//
// AWS does not record whether a function was invoked, so this package does: it writes a record before each call, and
// the outcome after it (record.go). diff.go decides by that record whether an invocation is due, convert.go builds the
// call's input and status, and external.go makes the call. An interrupted call is not repeated, unless the user says
// that the function may run twice.
package invocation

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Define returns the kind of Invocations.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.Invocation]{
		GVK:   v1beta1.InvocationGroupVersionKind,
		Reads: func(*v1beta1.Invocation) []string { return nil },
		Observer: func(_ *v1beta1.Invocation, s *session.Session) reconcile.Observer[*v1beta1.Invocation] {
			return &external{api: session.Client(s, lambda.NewFromConfig), objects: o.Objects, now: o.Now}
		},
		ActsOn: func(i *v1beta1.Invocation) []tenancy.Target {
			return tenancy.Functions(i.Spec.ForProvider.FunctionName, i.Status.AtProvider.FunctionName)
		},
		Refs:   objectRefs,
		Redact: redact,
	}.Untyped()
}

// objectRefs returns the Secret or ConfigMap that has the payload, if any.
func objectRefs(i *v1beta1.Invocation) []refs.ObjectRef {
	from := i.Spec.ForProvider.PayloadFrom
	if from == nil {
		return nil
	}
	ref, _ := refs.KeyOf(i.GetNamespace(), *from)
	return []refs.ObjectRef{ref}
}

// redact removes the input and the results of functions from an Invocation that is logged.
func redact(i *v1beta1.Invocation) {
	for _, text := range []**string{
		&i.Spec.ForProvider.Payload, &i.Spec.ForProvider.ClientContext,
		&i.Status.AtProvider.Payload, &i.Status.AtProvider.Result, &i.Status.AtProvider.LogTail,
		&i.Status.AtProvider.FunctionErrorMessage,
	} {
		if *text != nil {
			*text = ptr.To(diff.Redacted)
		}
	}
}
