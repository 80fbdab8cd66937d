package manager

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

func TestLayerVersionPermissionFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	const account, stranger = "111122223333", "444455556666"
	p := &v1beta1.LayerVersionPermission{
		ObjectMeta: metav1.ObjectMeta{Name: "partner", Namespace: e.ns},
		Spec: v1beta1.LayerVersionPermissionSpec{
			ManagedResourceSpec: byDefault(),
			ForProvider: v1beta1.LayerVersionPermissionParameters{
				Regional: v1beta1.Regional{
					Region: region,
				},
				LayerVersionArnRef: &xpv2.NamespacedReference{Name: "lib"},
				Principal:          ptr.To(account),
			},
		},
	}
	e.create(p)
	e.until("it waits for the layer", func() bool {
		e.get(p)
		return strings.Contains(p.GetCondition(xpv2.TypeSynced).Message,
			"LayerVersion "+e.ns+"/lib does not exist (cannot resolve spec.forProvider.layerVersionArnRef)")
	})
	files := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "lib", Namespace: e.ns},
		Data:       map[string]string{"m.py": "x = 1"},
	}
	layer := &v1beta1.LayerVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "lib", Namespace: e.ns},
		Spec: v1beta1.LayerVersionSpec{
			ManagedResourceSpec: byDefault(),
			ForProvider: v1beta1.LayerVersionParameters{
				Regional: v1beta1.Regional{Region: region},
				Content:  &v1beta1.LayerContent{ConfigMapRef: &v1beta1.LayerConfigMap{Name: "lib"}},
			},
		},
	}
	e.create(files, layer)
	e.ready(p)
	first := ptr.Deref(p.Status.AtProvider.LayerVersionArn, "")
	if !strings.HasSuffix(first, ":layer:lib:1") || meta.GetExternalName(p) != "lib:1:partner" ||
		ptr.Deref(p.Status.AtProvider.Principal, "") != account {
		t.Errorf("a Ready permission must tell what it permits, got %s: %+v", meta.GetExternalName(p),
			p.Status.AtProvider)
	}

	if !e.double.PutPolicy(first, strings.Replace(e.double.Policy(first), account, stranger, 1)) {
		t.Fatal("the policy can't be changed by hand")
	}
	// A reconcile may use what was read a moment before.
	e.until("the change by hand is corrected",
		func() bool { e.reconcile(p); return strings.Contains(e.double.Policy(first), account) })
	e.ready(p)
	e.until("an event tells what changed", func() bool {
		return strings.Contains(e.events("partner"), `principal: "`+stranger+`" -> "`+account+`"`)
	})

	files.Data["m.py"] = "x = 2"
	if err := e.kube.Update(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	second := strings.TrimSuffix(first, "1") + "2"
	e.until("the next version is permitted",
		func() bool { return strings.Contains(e.double.Policy(second), account) })
	e.until("its name is the one of there", func() bool {
		e.get(p)
		return meta.GetExternalName(p) == "lib:2:partner" &&
			isReady(p)
	})
	if got := e.double.Policy(first); got != "" {
		t.Errorf("left behind: %s", got)
	}
	if p.Spec.ForProvider.LayerVersionArn != nil {
		t.Errorf("spec must stay what the user wrote, got %+v", p.Spec.ForProvider)
	}

	edit(e, layer, func(l *v1beta1.LayerVersion) {
		l.Spec.ManagementPolicies = xpv2.ManagementPolicies{
			xpv2.ManagementActionObserve, xpv2.ManagementActionCreate,
			xpv2.ManagementActionUpdate,
		}
	})
	e.remove(layer)
	e.gone(layer)
	e.remove(p)
	e.gone(p)
	if got := e.double.Policy(second); got != "" {
		t.Errorf("a deleted permission is gone, though its LayerVersion went first, got %s", got)
	}
}
