package manager

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// permission returns a Permission for the function f, which it references.
func (e *env) permission(name string, change ...func(*v1beta1.Permission)) *v1beta1.Permission {
	p := &v1beta1.Permission{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.ns},
		Spec: v1beta1.PermissionSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.PermissionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:        v1beta1.Regional{Region: region},
					FunctionNameRef: &xpv2.NamespacedReference{Name: "f"},
				},
				Action: ptr.To(
					"lambda:InvokeFunction",
				),
				Principal: ptr.To("s3.amazonaws.com"),
				SourceAccount: ptr.To(
					"123456789012"),
			},
		},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func TestPermissionFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	p, q := e.permission("p"), e.permission("q", func(q *v1beta1.Permission) {
		q.Spec.ForProvider.StatementID = ptr.To("Other")
		q.Spec.ForProvider.Principal = ptr.To("111122223333")
		q.Spec.ForProvider.SourceAccount = nil
	})
	e.create(p, q)
	e.until("it waits for the function", func() bool {
		e.get(p)
		return strings.Contains(p.GetCondition(xpv2.TypeSynced).Message,
			"Function "+e.ns+"/f does not exist (cannot resolve spec.forProvider.functionNameRef)")
	})
	f := e.function("f")
	e.create(f)
	e.ready(p)
	e.ready(q)
	arn := ptr.Deref(p.Status.AtProvider.FunctionArn, "")
	if ptr.Deref(p.Status.AtProvider.FunctionName, "") != "f" || ptr.Deref(q.Status.AtProvider.StatementID,
		"") != "Other" || ptr.Deref(q.Status.AtProvider.Principal, "") != "111122223333" {
		t.Errorf("a Ready Permission must tell what it permits, got %+v and %+v", p.Status.AtProvider,
			q.Status.AtProvider)
	}

	edit(e, p, func(p *v1beta1.Permission) { p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com") })
	e.ready(p)
	policy := e.double.Policy(arn)
	if !strings.Contains(policy, "sns.amazonaws.com") || strings.Contains(policy, "s3.amazonaws.com") {
		t.Errorf("a Ready Permission must be in AWS as its manifest says, got %s", policy)
	}
	e.until("an event tells what changed", func() bool {
		return strings.Contains(e.events("p"), `principal: "s3.amazonaws.com" -> "sns.amazonaws.com"`)
	})

	if !e.double.PutPolicy(arn, strings.Replace(policy, "sns.amazonaws.com", "sqs.amazonaws.com", 1)) {
		t.Fatal("the policy can't be changed by hand")
	}
	// A reconcile may use what was read a moment before.
	e.until("the change by hand is corrected",
		func() bool { e.reconcile(p); return strings.Contains(e.double.Policy(arn), "sns.amazonaws.com") })
	e.ready(p)

	e.remove(p)
	e.gone(p)
	if policy = e.double.Policy(arn); strings.Contains(policy, "sns.amazonaws.com") ||
		!strings.Contains(policy, "Other") {
		t.Errorf("a deleted Permission takes its own statement along and no other, got %s", policy)
	}

	// The function is deleted first, as may happen when a whole namespace is deleted.
	e.remove(f)
	e.gone(f)
	e.remove(q)
	e.gone(q)
}
