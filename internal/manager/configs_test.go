package manager

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// configs are one resource of each kind that configures the function f or its alias live.
type configs struct {
	url         *v1beta1.FunctionURL
	events      *v1beta1.FunctionEventInvokeConfig
	provisioned *v1beta1.ProvisionedConcurrencyConfig
	runtime     *v1beta1.RuntimeManagementConfig
}

func (c configs) all() []reconcile.Managed {
	return []reconcile.Managed{c.url, c.events, c.provisioned, c.runtime}
}

// configs returns resources that configure the Function f and the Alias live, which they reference.
func (e *env) configs() configs {
	name := func(n string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: n, Namespace: e.ns} }
	spec := xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
		Kind: "ProviderConfig",
		Name: "default",
	}}
	fn := v1beta1.ConfiguredFunction{
		Regional:        v1beta1.Regional{Region: region},
		FunctionNameRef: &xpv2.NamespacedReference{Name: "f"},
	}
	live := &xpv2.NamespacedReference{Name: "live"}
	c := configs{
		url: &v1beta1.FunctionURL{ObjectMeta: name("url"), Spec: v1beta1.FunctionURLSpec{
			ManagedResourceSpec: spec,
			ForProvider: v1beta1.FunctionURLParameters{
				ConfiguredFunction: fn, QualifierRef: live,
				FunctionURLSettings: v1beta1.FunctionURLSettings{
					AuthType: ptr.To("NONE"),
					Cors:     &v1beta1.Cors{AllowOrigins: []string{"*"}, AllowHeaders: []string{"Content-Type"}},
				},
			},
		}},
		events: &v1beta1.FunctionEventInvokeConfig{
			ObjectMeta: name("events"),
			Spec: v1beta1.FunctionEventInvokeConfigSpec{
				ManagedResourceSpec: spec,
				ForProvider: v1beta1.FunctionEventInvokeConfigParameters{
					ConfiguredFunction: fn, QualifierRef: live,
					FunctionEventInvokeConfigSettings: v1beta1.FunctionEventInvokeConfigSettings{
						MaximumRetryAttempts: ptr.To[int32](0),
						DestinationConfig: &v1beta1.EventDestinationConfig{OnFailure: &v1beta1.EventDestination{
							DestinationRef: &xpv2.NamespacedReference{Name: "next"},
						}},
					},
				},
			},
		},
		provisioned: &v1beta1.ProvisionedConcurrencyConfig{
			ObjectMeta: name("provisioned"),
			Spec: v1beta1.ProvisionedConcurrencyConfigSpec{
				ManagedResourceSpec: spec,
				ForProvider: v1beta1.ProvisionedConcurrencyConfigParameters{
					ConfiguredFunction: fn, QualifierRef: live,
					ProvisionedConcurrencyConfigSettings: v1beta1.ProvisionedConcurrencyConfigSettings{
						ProvisionedConcurrentExecutions: ptr.To[int32](5),
					},
				},
			},
		},
		runtime: &v1beta1.RuntimeManagementConfig{
			ObjectMeta: name("runtime"),
			Spec: v1beta1.RuntimeManagementConfigSpec{
				ManagedResourceSpec: spec,
				ForProvider: v1beta1.RuntimeManagementConfigParameters{
					ConfiguredFunction: fn, RuntimeManagementConfigSettings: v1beta1.RuntimeManagementConfigSettings{
						UpdateRuntimeOn: ptr.To("FunctionUpdate"),
					},
				},
			},
		},
	}
	c.url.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: "url-conn"}
	return c
}

// deployed creates a published function f with its alias live, and another function, next.
func (e *env) deployed() {
	e.Helper()
	f := e.function("f", func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	next, live := e.function("next"), e.alias("live")
	e.create(f, next, live)
	e.ready(f)
	e.ready(next)
	e.ready(live)
}

// TestConfigurationsOfAFunction applies what configures a function together with the function. All become Ready.
func TestConfigurationsOfAFunction(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{
		CreateDuration: 300 * time.Millisecond, UpdateDuration: 300 * time.Millisecond,
		ProvisionDuration: 300 * time.Millisecond,
	})
	c := e.configs()
	for _, mg := range c.all() {
		e.create(mg)
	}
	e.until("they wait for the function", func() bool {
		e.get(c.url)
		return strings.Contains(c.url.GetCondition(xpv2.TypeSynced).Message,
			"Function "+e.ns+"/f does not exist (cannot resolve spec.forProvider.functionNameRef)")
	})
	e.deployed()
	for _, mg := range c.all() {
		e.ready(mg)
	}
	for mg, want := range map[reconcile.Managed]string{
		c.url: "f:live", c.events: "f:live", c.provisioned: "f:live",
		c.runtime: "f:$LATEST",
	} {
		if got := meta.GetExternalName(mg); got != want {
			t.Errorf("%s is named %q, want %q", mg.GetName(), got, want)
		}
	}
	if got := ptr.Deref(c.events.Status.AtProvider.OnFailureDestination, ""); !strings.HasSuffix(got,
		":function:next") {
		t.Errorf("failures go to %q, want the ARN of the Function next", got)
	}
	if got := ptr.Deref(c.provisioned.Status.AtProvider.Status, ""); got != "READY" {
		t.Errorf("the provisioned concurrency is %s", got)
	}
	s := &corev1.Secret{}
	e.until("the connection Secret has the URL", func() bool {
		return e.kube.Get(t.Context(), client.ObjectKey{Namespace: e.ns, Name: "url-conn"}, s) == nil &&
			string(s.Data["functionUrl"]) == ptr.Deref(c.url.Status.AtProvider.FunctionURL, "-")
	})

	e.changeConfigs(c)
	e.driftConfigs(c)

	for _, mg := range c.all() {
		e.remove(mg)
	}
	for _, mg := range c.all() {
		e.gone(mg)
	}
	for _, op := range []string{
		"DeleteFunctionUrlConfig", "DeleteFunctionEventInvokeConfig",
		"DeleteProvisionedConcurrencyConfig",
	} {
		if n := e.double.Count(op); n != 1 {
			t.Errorf("%d calls of %s, want one", n, op)
		}
	}
	back, err := e.aws.GetRuntimeManagementConfig(t.Context(),
		&lambda.GetRuntimeManagementConfigInput{FunctionName: ptr.To("f")})
	if err != nil || back.UpdateRuntimeOn != types.UpdateRuntimeOnAuto {
		t.Errorf("the runtime is updated on %s, %v, want AWS's default again", back.UpdateRuntimeOn, err)
	}
}

// changeConfigs changes each manifest, and waits until AWS has the change.
func (e *env) changeConfigs(c configs) {
	e.Helper()
	edit(e, c.url, func(u *v1beta1.FunctionURL) { u.Spec.ForProvider.Cors = nil })
	edit(e, c.events, func(c *v1beta1.FunctionEventInvokeConfig) { c.Spec.ForProvider.DestinationConfig = nil })
	edit(e, c.provisioned, func(p *v1beta1.ProvisionedConcurrencyConfig) {
		p.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](7)
	})
	edit(e, c.runtime, func(m *v1beta1.RuntimeManagementConfig) {
		m.Spec.ForProvider.UpdateRuntimeOn, m.Spec.ForProvider.RuntimeVersionArn = ptr.To("Manual"), ptr.To(
			"arn:aws:lambda:eu-central-1::runtime:aaaa")
	})
	for _, mg := range c.all() {
		e.ready(mg)
	}
	if c.url.Status.AtProvider.Cors != nil || c.events.Status.AtProvider.OnFailureDestination != nil ||
		*c.provisioned.Status.AtProvider.AvailableProvisionedConcurrentExecutions != 7 ||
		c.runtime.Status.AtProvider.RuntimeVersionArn == nil {
		e.Errorf("what is Ready must be as its manifest says, got %+v, %+v, %+v, %+v", c.url.Status.AtProvider,
			c.events.Status.AtProvider, c.provisioned.Status.AtProvider, c.runtime.Status.AtProvider)
	}
}

// driftConfigs changes two by hand, and waits until they are corrected.
func (e *env) driftConfigs(c configs) {
	e.Helper()
	f, live := ptr.To("f"), ptr.To("live")
	_, err := e.aws.UpdateFunctionUrlConfig(e.Context(), &lambda.UpdateFunctionUrlConfigInput{
		FunctionName: f,
		Qualifier:    live, AuthType: types.FunctionUrlAuthTypeAwsIam,
	})
	if err != nil {
		e.Fatal(err)
	}
	_, err = e.aws.UpdateFunctionEventInvokeConfig(e.Context(),
		&lambda.UpdateFunctionEventInvokeConfigInput{
			FunctionName: f, Qualifier: live,
			MaximumEventAgeInSeconds: ptr.To[int32](60),
		})
	if err != nil {
		e.Fatal(err)
	}
	e.reconcile(c.url)
	e.reconcile(c.events)
	e.until("what was changed by hand is put right", func() bool {
		u, err := e.aws.GetFunctionUrlConfig(e.Context(), &lambda.GetFunctionUrlConfigInput{
			FunctionName: f,
			Qualifier:    live,
		})
		if err != nil {
			e.Fatal(err)
		}
		invoke, err := e.aws.GetFunctionEventInvokeConfig(e.Context(),
			&lambda.GetFunctionEventInvokeConfigInput{FunctionName: f, Qualifier: live})
		if err != nil {
			e.Fatal(err)
		}
		return u.AuthType == types.FunctionUrlAuthTypeNone && invoke.MaximumEventAgeInSeconds == nil
	})
	e.ready(c.url)
	e.ready(c.events)
}
