package manager

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

func TestResourcePolicyFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	p := &v1beta1.ResourcePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: e.ns},
		Spec: v1beta1.ResourcePolicySpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.ResourcePolicyParameters{
				Regional:       v1beta1.Regional{Region: region},
				ResourceArnRef: &xpv2.NamespacedReference{Name: "f"},
				Policy: ptr.To(
					`{"Statement": {"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "lambda:InvokeFunction", "Resource": "*"}}`,
				),
			},
		},
	}
	e.create(p, e.function("f"))
	e.ready(p)
	arn := ptr.Deref(p.Status.AtProvider.ResourceArn, "")
	if meta.GetExternalName(p) != arn || !strings.HasSuffix(arn, ":function:f") ||
		ptr.Deref(p.Status.AtProvider.Policy, "") != e.double.Policy(arn) {
		t.Errorf("a Ready ResourcePolicy must tell its resource and policy, got %+v", p.Status.AtProvider)
	}

	edit(e, p, func(p *v1beta1.ResourcePolicy) {
		p.Spec.ForProvider.Policy = ptr.To(strings.Replace(*p.Spec.ForProvider.Policy, "111122223333", "444455556666",
			1))
	})
	e.ready(p)
	if policy := e.double.Policy(arn); !strings.Contains(policy, "444455556666") {
		t.Errorf("a Ready ResourcePolicy must be in AWS as its manifest says, got %s", policy)
	}

	if !e.double.PutPolicy(arn, "") {
		t.Fatal("the policy can't be removed by hand")
	}
	e.reconcile(p)
	e.until("the change by hand is corrected",
		func() bool { return strings.Contains(e.double.Policy(arn), "444455556666") })
	e.ready(p)

	edit(e, p, func(p *v1beta1.ResourcePolicy) { p.Spec.ForProvider.Policy = ptr.To(`{"Statement": {"effect": }}`) })
	e.until("it stalls on what is no policy", func() bool {
		e.get(p)
		return p.GetCondition(v1beta1.TypeStalled).Status == "True" &&
			strings.Contains(p.GetCondition(xpv2.TypeSynced).Message, "spec.forProvider.policy is not a valid policy")
	})

	e.remove(p)
	e.gone(p)
	if policy := e.double.Policy(arn); policy != "" {
		t.Errorf("a deleted ResourcePolicy must be gone from AWS, got %s", policy)
	}
}
