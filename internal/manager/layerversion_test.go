package manager

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// byDefault returns a spec that uses the env's default ProviderConfig.
func byDefault() xpv2.ManagedResourceSpec {
	return xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
		Kind: "ProviderConfig",
		Name: "default",
	}}
}

// TestAFunctionMovesToTheNewVersionOfItsLayer checks that a changed ConfigMap becomes a new version of the layer, and
// that the function that references the layer uses it: no manifest contains a version number.
func TestAFunctionMovesToTheNewVersionOfItsLayer(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	layer := &v1beta1.LayerVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "lib", Namespace: e.ns},
		Spec: v1beta1.LayerVersionSpec{
			ManagedResourceSpec: byDefault(),
			ForProvider: v1beta1.LayerVersionParameters{
				Regional: v1beta1.Regional{Region: region},
				Content: &v1beta1.LayerContent{ConfigMapRef: &v1beta1.LayerConfigMap{
					Name:       "lib",
					FilePrefix: ptr.To("python/"),
				}},
				OldVersions: ptr.To(v1beta1.OldVersionsDelete),
			},
		},
	}
	signing := &v1beta1.CodeSigningConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "signing", Namespace: e.ns},
		Spec: v1beta1.CodeSigningConfigSpec{
			ManagedResourceSpec: byDefault(),
			ForProvider: v1beta1.CodeSigningConfigParameters{
				Regional: v1beta1.Regional{Region: region},
				CodeSigningConfigSettings: v1beta1.CodeSigningConfigSettings{
					AllowedPublishers: &v1beta1.AllowedPublishers{SigningProfileVersionArns: []string{
						"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/v",
					}},
				},
			},
		},
	}
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ForProvider.LayerRefs = []xpv2.NamespacedReference{{Name: "lib"}}
		f.Spec.ForProvider.CodeSigningConfigArnRef = &xpv2.NamespacedReference{Name: "signing"}
	})
	e.create(f)
	e.until("the function waits for its layer", func() bool {
		e.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "LayerVersion "+e.ns+"/lib does not exist")
	})
	files := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "lib", Namespace: e.ns},
		Data:       map[string]string{"m.py": "x = 1"},
	}
	e.create(files, layer, signing)
	e.ready(layer)
	e.ready(signing)
	e.ready(f)
	first := meta.GetExternalName(layer)
	if got := f.Status.AtProvider.Layers; !slices.Equal(got, []string{first}) {
		t.Errorf("the function has the layers %v, want %s", got, first)
	}
	if got, _ := e.double.Function("f"); got.CodeSigningConfigArn != meta.GetExternalName(signing) {
		t.Errorf("the function's code signing configuration is %q", got.CodeSigningConfigArn)
	}

	files.Data["m.py"] = "x = 2"
	if err := e.kube.Update(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	e.until("the function is at the new version", func() bool {
		got, _ := e.double.Function("f")
		return len(got.Layers) == 1 && strings.HasSuffix(*got.Layers[0].Arn, ":layer:lib:2")
	})
	api := lambda.NewFromConfig(e.double.Config(region))
	e.until("the old version is gone", func() bool {
		out, err := api.ListLayerVersions(t.Context(), &lambda.ListLayerVersionsInput{LayerName: ptr.To("lib")})
		return err == nil && len(out.LayerVersions) == 1 && out.LayerVersions[0].Version == 2
	})
	e.get(f)
	if f.Spec.ForProvider.Layers != nil || f.Spec.ForProvider.CodeSigningConfigArn != nil {
		t.Errorf("spec must stay what the user wrote, got %+v", f.Spec.ForProvider)
	}

	e.remove(f)
	e.gone(f)
	e.remove(signing)
	e.remove(layer)
	e.gone(signing)
	e.gone(layer)
	out, err := api.ListLayerVersions(t.Context(), &lambda.ListLayerVersionsInput{LayerName: ptr.To("lib")})
	if err != nil || len(out.LayerVersions) != 0 {
		t.Errorf("nothing is left: %v, %v", out, err)
	}
}

func TestCapacityProviderFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	c := &v1beta1.CapacityProvider{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: e.ns},
		Spec: v1beta1.CapacityProviderSpec{
			ManagedResourceSpec: byDefault(),
			ForProvider: v1beta1.CapacityProviderParameters{
				Regional: v1beta1.Regional{Region: region},
				VPCConfig: &v1beta1.CapacityProviderVPCConfig{
					SubnetIDs:        []string{"subnet-1"},
					SecurityGroupIDs: []string{"sg-1"},
				},
				PermissionsConfig: &v1beta1.CapacityProviderPermissionsConfig{CapacityProviderOperatorRoleArn: ptr.To(
					"arn:aws:iam::123456789012:role/operator")},
			},
		},
	}
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ForProvider.MemorySize = ptr.To[int32](2048)
		f.Spec.ForProvider.CapacityProviderConfig = &v1beta1.CapacityProviderConfig{
			LambdaManagedInstancesCapacityProviderConfig: v1beta1.LambdaManagedInstancesCapacityProviderConfig{
				CapacityProviderArnRef: &xpv2.NamespacedReference{Name: "web"},
			},
		}
	})
	e.create(f, c)
	e.ready(c)
	e.ready(f)
	edit(e, c, func(c *v1beta1.CapacityProvider) {
		c.Spec.ForProvider.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{
			MaxVCPUCount: ptr.To[int32](64),
		}
	})
	e.until("the change arrives", func() bool {
		got, there := e.double.CapacityProvider(region, "web")
		return there && got.CapacityProviderScalingConfig.MaxVCpuCount != nil &&
			*got.CapacityProviderScalingConfig.MaxVCpuCount == 64
	})
	e.ready(c)
	e.remove(f)
	e.gone(f)
	e.remove(c)
	e.gone(c)
	if _, there := e.double.CapacityProvider(region, "web"); there {
		t.Error("a deleted CapacityProvider must be gone from AWS")
	}
}
