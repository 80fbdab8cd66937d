package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	awssession "github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

var start = time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)

// scheme returns the types of a plan.
func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// planner returns a planner without a cluster and without AWS, with objects that resources refer to.
func planner(t *testing.T, objs ...client.Object) *Planner {
	t.Helper()
	p := New(Options{Scheme: scheme(t), ClusterID: "c1", Now: func() time.Time { return start }})
	for _, obj := range objs {
		p.Add(obj)
	}
	return p
}

func function(change ...func(*v1beta1.Function)) *v1beta1.Function {
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "checkout"}}
	f.Spec.ForProvider = v1beta1.FunctionParameters{
		Regional: v1beta1.Regional{Region: "eu-central-1"},
		FunctionSettings: v1beta1.FunctionSettings{
			Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"), Role: ptr.To(
				"arn:aws:iam::123456789012:role/r"),
			Code: &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x = 1"}},
		},
	}
	for _, c := range change {
		c(f)
	}
	SetDefaults(f)
	return f
}

// created is a change after which a function exists in AWS, and is converged.
func created(f *v1beta1.Function) {
	f.UID, f.Generation = "u1", 1
	meta.SetExternalName(f, "checkout")
	f.Status.ReconciledGeneration = 1
	f.Status.AtProvider.FunctionName, f.Status.AtProvider.LatestPublishedVersion = ptr.To("checkout"), ptr.To("7")
}

// observed returns a change after which AWS was observed to have so much memory for the function.
func observed(memory int32) func(*v1beta1.Function) {
	return func(f *v1beta1.Function) { f.Status.AtProvider.MemorySize = &memory }
}

// renamed is a change after which the external name is another one than that which the object has written.
func renamed(f *v1beta1.Function) {
	metav1.SetMetaDataAnnotation(&f.ObjectMeta, v1beta1.AnnotationNamedBy, "u1/checkout")
	meta.SetExternalName(f, "another")
}

// layer returns a LayerVersion that exists, with so much content in its spec.
func layer(content map[string]string) *v1beta1.LayerVersion {
	l := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "base", UID: "u1", Generation: 1}}
	l.Spec.ForProvider.Region = testenv.Region
	l.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	if content != nil {
		l.Spec.ForProvider.Content = &v1beta1.LayerContent{Inline: content}
		l.Spec.ManagementPolicies = nil
	}
	meta.SetExternalName(l, "arn:aws:lambda:eu-central-1:123456789012:layer:base:3")
	l.Status.ReconciledGeneration = 1
	SetDefaults(l)
	return l
}

// held is a change after which the function is being deleted, and waits for a confirmation.
func held(f *v1beta1.Function) {
	f.DeletionTimestamp = ptr.To(metav1.NewTime(start))
	f.SetConditions(xpv2.Condition{
		Type: v1beta1.TypeDeletionHeld, Status: "True",
		Reason: v1beta1.ReasonRecentlyInvoked, Message: "it is in use",
	})
}

// confirmed is a change that confirms the deletion.
func confirmed(f *v1beta1.Function) {
	metav1.SetMetaDataAnnotation(&f.ObjectMeta, v1beta1.AnnotationConfirmDeletion, start.Format(time.RFC3339))
}

func calls(p Plan) []string {
	var out []string
	for _, c := range p.Calls {
		out = append(out, c.String())
	}
	return out
}

func TestPlan(t *testing.T) {
	type want struct {
		Action   Action
		Calls    []string
		Changes  diff.Changes
		Unknowns []string
		Message  string
	}
	memory := func(mb int32) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To(mb) }
	}
	paused := func(f *v1beta1.Function) {
		metav1.SetMetaDataAnnotation(&f.ObjectMeta, meta.AnnotationKeyReconciliationPaused, "true")
	}
	publish := func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) }
	secret := func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{
			EnvFrom: []v1beta1.EnvironmentSource{{SecretRef: &v1beta1.EnvironmentSourceReference{Name: "db"}}},
		}
	}
	pinned := func(version, sum string) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) {
			f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
				S3Bucket: ptr.To("b"), S3Key: ptr.To("k.zip"),
				S3ObjectVersion: ptr.To(version), SHA256: ptr.To(sum),
			}
		}
	}
	tracked := func(tag string) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) {
			f.Spec.ForProvider.Runtime, f.Spec.ForProvider.Handler, f.Spec.ForProvider.PackageType = nil, nil, ptr.To(
				"Image")
			f.Spec.ForProvider.Code = &v1beta1.FunctionCode{ImageURI: ptr.To(
				"123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:" + tag), TrackImageTag: ptr.To(true)}
		}
	}
	const ofPin, ofTag = "whether the object in S3 has the checksum of code.sha256", "whether the tag of the image " +
		"names another image since (trackImageTag)"
	cases := map[string]struct {
		reason         string
		objects        []client.Object
		desired, prior reconcile.Managed
		want           want
	}{
		"Observed": {
			reason:  "A field that the manifest did not set has the value that was observed, and not AWS's default.",
			desired: function(created, memory(512)), prior: function(created, observed(300)),
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionConfiguration checkout"},
				Changes: diff.Changes{{Path: "memorySize", Old: "300", New: "512"}},
			},
		},
		"ObservedBlocks": {
			reason: "So have the fields of blocks, whether the manifest has the block or not.",
			desired: function(created, func(f *v1beta1.Function) {
				f.Spec.ForProvider.EphemeralStorage = &v1beta1.EphemeralStorage{Size: 2048}
				f.Spec.ForProvider.TracingConfig = &v1beta1.TracingConfig{Mode: "PassThrough"}
				f.Spec.ForProvider.LoggingConfig = &v1beta1.LoggingConfig{
					LogFormat: ptr.To("JSON"), SystemLogLevel: ptr.To("DEBUG"),
				}
			}),
			prior: function(created, func(f *v1beta1.Function) {
				f.Spec.ForProvider.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: ptr.To("JSON")}
				o := &f.Status.AtProvider
				o.EphemeralStorageSize = ptr.To[int32](1024)
				o.TracingConfig = &v1beta1.TracingConfig{Mode: "Active"}
				o.LoggingConfig = &v1beta1.LoggingConfig{
					LogFormat: ptr.To("JSON"), ApplicationLogLevel: ptr.To("TRACE"), SystemLogLevel: ptr.To("WARN"),
				}
			}),
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionConfiguration checkout"},
				Changes: diff.Changes{
					{Path: "ephemeralStorage.size", Old: "1024", New: "2048"},
					{Path: "loggingConfig.systemLogLevel", Old: `"WARN"`, New: `"DEBUG"`},
					{Path: "tracingConfig.mode", Old: `"Active"`, New: `"PassThrough"`},
				},
			},
		},
		"Region": {
			reason:  "A region that AWS does not have may be a mistake. Only the config could tell.",
			desired: function(created, func(f *v1beta1.Function) { f.Spec.ForProvider.Region = "eu-nowhere-1" }),
			prior:   function(created, func(f *v1beta1.Function) { f.Spec.ForProvider.Region = "eu-nowhere-1" }),
			want: want{
				Action: None,
				Unknowns: []string{`whether the provider accepts "eu-nowhere-1": it is not a region of ` +
					`AWS that this version knows, so spec.regions of the provider config must list it`},
			},
		},
		"Paused": {
			reason:  "Nothing is done about a resource that is paused, which is no error.",
			desired: function(created, memory(512), paused), prior: function(created, memory(256), paused),
			want: want{Action: Wait, Message: "reconciliation is paused"},
		},
		"Resumed": {
			reason:  "The manifest no longer has the annotation that pauses it.",
			desired: function(created, memory(512)),
			prior:   function(created, memory(256), paused),
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionConfiguration checkout"},
				Changes: diff.Changes{{Path: "memorySize", Old: "256", New: "512"}},
			},
		},
		"Unchanged": {
			reason: "AWS has what the manifest asks for.", desired: function(created),
			prior: function(created), want: want{Action: None},
		},
		"Update": {
			reason: "A field differs.", desired: function(created, memory(512)), prior: function(created, memory(256)),
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionConfiguration checkout"},
				Changes: diff.Changes{{Path: "memorySize", Old: "256", New: "512"}},
			},
		},
		"Order": {
			reason: "A version follows what it contains, and has the next number.",
			desired: function(created, memory(512), publish, func(f *v1beta1.Function) {
				f.Spec.ForProvider.Tags = map[string]string{"team": "cart"}
				f.Spec.ForProvider.ReservedConcurrentExecutions = ptr.To[int32](5)
			}),
			prior: function(created, memory(256), publish),
			want: want{
				Action: Update, Calls: []string{
					"TagResource " +
						"arn:aws:lambda:eu-central-1:000000000000:function:checkout",
					"UpdateFunctionConfiguration checkout", "PublishVersion checkout",
					"PutFunctionConcurrency checkout",
				},
				Changes: diff.Changes{
					{Path: "memorySize", Old: "256", New: "512"},
					{Path: "reservedConcurrentExecutions", New: "5"},
					{Path: "tags[team]", New: `"cart"`},
					{Path: "publish", Old: `"7"`, New: `"a new version"`},
				},
			},
		},
		"Secret": {
			reason: "Values of Secrets are not shown.", desired: function(created, secret), prior: function(created),
			objects: []client.Object{&corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"},
				StringData: map[string]string{"PASSWORD": "hunter2"},
			}},
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionConfiguration checkout"},
				Changes: diff.Changes{{Path: "environment.variables[PASSWORD]", New: "(redacted)"}},
			},
		},
		"NoSecret": {
			reason: "A missing Secret is an error, as it is for the provider.", desired: function(secret),
			want: want{Action: Reject, Message: "Secret shop/db does not exist"},
		},
		"NoSecretBefore": {
			reason: "The object in the cluster cannot be reconciled, so what AWS has is not known: it is not absent.",
			desired: function(created, func(f *v1beta1.Function) {
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
					xpv2.ManagementActionObserve,
					xpv2.ManagementActionUpdate,
				}
			}),
			prior: function(created, secret),
			want: want{Action: Reject, Message: "what AWS has is known with --refresh only, since the object in the " +
				"cluster cannot be reconciled: Secret shop/db does not exist"},
		},
		"NoSecretBeforeADeletion": {
			reason: "Nor is a function kept that AWS may have.",
			desired: function(created,
				func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.NewTime(start)) }),
			prior: function(created, secret),
			want:  want{Action: Reject, Message: "what AWS has is known with --refresh only"},
		},
		"Renamed": {
			reason:  "The function of the name that the object has written would be left behind, as since the last edit.",
			desired: function(created, renamed, memory(512)),
			prior:   function(created, renamed, memory(256)),
			want:    want{Action: Reject, Message: "which would leave"},
		},
		"ContentOfAnImported": {
			reason:  "The object in the cluster observes a layer, without naming its content.",
			desired: layer(map[string]string{"m.py": "x = 1"}), prior: layer(nil),
			want: want{
				Action: Update, Calls: []string{"PublishLayerVersion base"},
				Changes: diff.Changes{{
					Path: "content.codeSha256",
					Old:  `"hznHbmgfkAkjuQDJ3w73XPQh05yrtUZQxLmtGbanbYU="`,
					New:  `"ZQ5xMwnkB7oATRiFsW2tX8sdKZgN4eKrHbbrbZzRyqQ="`,
				}},
			},
		},
		"Immutable": {
			reason: "AWS cannot change it.",
			desired: function(created,
				func(f *v1beta1.Function) { f.Spec.ForProvider.PackageType = ptr.To("Image") }),
			prior: function(created),
			want:  want{Action: Reject, Message: "settings that AWS can't change"},
		},
		"Delete": {
			reason: "The function is deleted.",
			desired: function(created,
				func(f *v1beta1.Function) { f.DeletionTimestamp = ptr.To(metav1.NewTime(start)) }),
			prior: function(created),
			want:  want{Action: Delete, Calls: []string{"DeleteFunction checkout"}},
		},
		"Held": {
			reason:  "The deletion waits for a confirmation.",
			desired: function(created, held), prior: function(created, held),
			want: want{Action: Wait, Message: "held: it is in use"},
		},
		"HeldAndConfirmed": {
			reason:  "The deletion is confirmed.",
			desired: function(created, held, confirmed), prior: function(created, held, confirmed),
			want: want{Action: Delete, Calls: []string{"DeleteFunction checkout"}},
		},
		"HeldAndOrphaned": {
			reason: "managementPolicies keep it since.",
			desired: function(created, held, func(f *v1beta1.Function) {
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
					xpv2.ManagementActionObserve,
					xpv2.ManagementActionUpdate,
				}
			}),
			prior: function(created, held), want: want{Action: Orphan},
		},
		"Orphan": {
			reason: "managementPolicies keep it.",
			desired: function(created, func(f *v1beta1.Function) {
				f.DeletionTimestamp = ptr.To(metav1.NewTime(start))
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
					xpv2.ManagementActionObserve,
					xpv2.ManagementActionUpdate,
				}
			}),
			prior: function(created), want: want{Action: Orphan},
		},
		"PinUnchanged": {
			reason: "Only S3 can tell whether the pin is right.", desired: function(created,
				pinned("1", "a")), prior: function(created, pinned("1", "a")),
			want: want{Action: None},
		},
		"PinChanged": {
			reason: "Another version of the object is deployed.", desired: function(created,
				pinned("2", "b")), prior: function(created, pinned("1", "a")),
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionCode checkout"},
				Changes: diff.Changes{{
					Path: "code.source", Old: `"s3://b/k.zip?versionId=1"`,
					New: `"s3://b/k.zip?versionId=2"`,
				}}, Unknowns: []string{ofPin},
			},
		},
		"TagUnchanged": {
			reason: "Only ECR can tell what the tag names.", desired: function(created,
				tracked("v1")), prior: function(created, tracked("v1")),
			want: want{Action: None},
		},
		"TagChanged": {
			reason: "Another tag is deployed.", desired: function(created, tracked("v2")), prior: function(created,
				tracked("v1")),
			want: want{
				Action: Update, Calls: []string{"UpdateFunctionCode checkout"}, Unknowns: []string{ofTag},
				Changes: diff.Changes{{
					Path: "code.imageUri",
					Old:  `"123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"`,
					New:  `"123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v2"`,
				}},
			},
		},
		"MayNotUpdate": {
			reason: "managementPolicies forbid the change.",
			desired: function(created, memory(512), func(f *v1beta1.Function) {
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
					xpv2.ManagementActionObserve,
					xpv2.ManagementActionCreate,
				}
			}),
			prior: function(created, memory(256)),
			want: want{
				Action: Wait, Changes: diff.Changes{{Path: "memorySize", Old: "256", New: "512"}},
				Message: "managementPolicies do not allow changing it",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := planner(t, tc.objects...).Plan(t.Context(), tc.desired, tc.prior)
			if !strings.Contains(got.Message, tc.want.Message) {
				t.Errorf("%s\nmessage %q, want %q", tc.reason, got.Message, tc.want.Message)
			}
			tc.want.Message = got.Message
			if diff := cmp.Diff(tc.want, want{
				got.Action, calls(got), got.Changes, got.Unknowns,
				got.Message,
			}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAll checks that resources that refer to each other are planned in the order in which they can be created.
func TestAll(t *testing.T) {
	alias := &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "live"}}
	alias.Spec.ForProvider = v1beta1.AliasParameters{
		ConfiguredFunction: v1beta1.ConfiguredFunction{
			Regional:        v1beta1.Regional{Region: "eu-central-1"},
			FunctionNameRef: &xpv2.NamespacedReference{Name: "checkout"},
		},
	}
	orphan := &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orphan"}}
	orphan.Spec.ForProvider = v1beta1.AliasParameters{
		ConfiguredFunction: v1beta1.ConfiguredFunction{
			Regional:        v1beta1.Regional{Region: "eu-central-1"},
			FunctionNameRef: &xpv2.NamespacedReference{Name: "missing"},
		},
	}
	SetDefaults(alias)
	SetDefaults(orphan)
	publish := func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) }
	memory := func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](512) }
	plans := planner(t).All(t.Context(), []Resource{
		{Desired: orphan},
		{Desired: alias},
		{Desired: function(created, publish, memory), Prior: function(created, publish)},
	})
	var got []string
	for _, p := range plans {
		got = append(got, p.String()+" "+string(p.Action)+" "+strings.Join(calls(p), ", "))
	}
	want := []string{
		"Alias shop/orphan wait ", "Alias shop/live create CreateAlias checkout:live",
		"Function shop/checkout update UpdateFunctionConfiguration checkout, PublishVersion checkout",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(diff.Changes{{Path: "functionVersion", New: `"8"`}}, plans[1].Changes); diff != "" {
		t.Errorf("the alias follows the version that is to be published: -want, +got:\n%s", diff)
	}
	counted := Summary{Wait: 1, Create: 1, Update: 1, Adopt: 0, Replace: 0, Delete: 0, Reject: 0, None: 0}
	if diff := cmp.Diff(counted, Summarize(plans)); diff != "" {
		t.Errorf("summary: -want, +got:\n%s", diff)
	}
}

// TestAllOfACluster checks that what resources of the cluster refer to, and follow, is what the cluster has, not what
// is applied with them.
func TestAllOfACluster(t *testing.T) {
	const layerARN = "arn:aws:lambda:eu-central-1:123456789012:layer:lib:4"
	prices := func(text string) *corev1.ConfigMap {
		return &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lib"},
			Data:       map[string]string{"prices.py": text},
		}
	}
	layer := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "lib", UID: "u2",
		Generation: 1,
	}}
	layer.Spec.ForProvider = v1beta1.LayerVersionParameters{
		Regional: v1beta1.Regional{Region: "eu-central-1"}, LayerName: ptr.To("lib"),
		Content: &v1beta1.LayerContent{ConfigMapRef: &v1beta1.LayerConfigMap{Name: "lib"}},
	}
	at := &layer.Status.AtProvider
	at.LayerName, at.Version, at.LayerVersionArn = ptr.To("lib"), ptr.To[int64](4), ptr.To(layerARN)
	layer.Status.ReconciledGeneration = 1
	meta.SetExternalName(layer, layerARN)
	f := function(created, func(f *v1beta1.Function) {
		f.Spec.ForProvider.Publish, f.Spec.ForProvider.LayerRefs = ptr.To(true), []xpv2.NamespacedReference{
			{Name: "lib"},
		}
	})
	following := func(name string) *v1beta1.Alias {
		a := &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name, UID: types.UID(name),
			Generation: 1,
		}}
		a.Spec.ForProvider = v1beta1.AliasParameters{
			ConfiguredFunction: v1beta1.ConfiguredFunction{
				Regional:        v1beta1.Regional{Region: "eu-central-1"},
				FunctionNameRef: &xpv2.NamespacedReference{Name: "checkout"},
			},
		}
		a.Status.ReconciledGeneration, a.Status.AtProvider.FunctionVersion = 1, ptr.To("7")
		meta.SetExternalName(a, name)
		SetDefaults(a)
		return a
	}
	live, stepwise := following("live"), following("stepwise")
	stepwise.Status.AtProvider.FunctionVersion = ptr.To("3")
	stepwise.Spec.Rollout = &v1beta1.AliasRollout{
		Strategy: v1beta1.RolloutStrategy{
			Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](20)}}},
		},
		PreTraffic: []v1beta1.RolloutSmokeTest{{Name: "smoke", Invoke: v1beta1.RolloutInvoke{}}},
	}
	SetDefaults(layer)
	cases := map[string]struct {
		reason  string
		applied []client.Object
		want    []string
	}{
		"Unchanged": {
			reason:  "The same ConfigMap is applied again. The rollout has not reached the published version yet.",
			applied: []client.Object{prices("tea = 4")},
			want: []string{
				"LayerVersion shop/lib none", "Function shop/checkout none", "Alias shop/live none",
				"Alias shop/stepwise update: Invoke checkout:7; rollout from version 3 to version 7: what follows " +
					"depends on the results of its checks",
			},
		},
		"ConfigMap": {
			reason:  "The ConfigMap that is applied with them differs from that in the cluster.",
			applied: []client.Object{prices("tea = 5")},
			want: []string{
				"LayerVersion shop/lib update: PublishLayerVersion lib (content.codeSha256)",
				"Function shop/checkout update: UpdateFunctionConfiguration checkout, PublishVersion checkout " +
					"(layers, publish)",
				"Alias shop/live update: UpdateAlias checkout:live (functionVersion)",
				"Alias shop/stepwise update: Invoke checkout:8; rollout from version 3 to version 8: what follows " +
					"depends on the results of its checks",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := scheme(t)
			cluster := fake.NewClientBuilder().WithScheme(s).WithObjects(prices("tea = 4"), layer.DeepCopy(),
				f.DeepCopy(), live.DeepCopy(), stepwise.DeepCopy()).Build()
			p := New(Options{Scheme: s, Cluster: cluster, ClusterID: "c1", Now: func() time.Time { return start }})
			for _, obj := range tc.applied {
				p.Add(obj)
			}
			plans := p.All(t.Context(), []Resource{{layer, layer}, {f, f}, {live, live}, {stepwise, stepwise}})
			var got []string
			for _, p := range plans {
				for i := range p.Changes {
					if path := p.Changes[i].Path; path == "layers" &&
						p.Changes[i].New != `["arn:aws:lambda:eu-central-1:123456789012:layer:lib:5"]` {
						t.Errorf("%s is changed to %s", path, p.Changes[i].New)
					}
				}
				got = append(got, p.String()+" "+withoutValues(p))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// withoutValues returns the summary of a plan with the paths of what differs only.
func withoutValues(p Plan) string {
	var paths []string
	for _, c := range p.Changes {
		paths = append(paths, c.Path)
	}
	p.Changes = nil
	if len(paths) == 0 {
		return p.Summary()
	}
	return p.Summary() + " (" + strings.Join(paths, ", ") + ")"
}

func TestSummary(t *testing.T) {
	p := Plan{
		Action: Update, Calls: []dryrun.Call{{Operation: "UpdateAlias", On: "f:live"}},
		Changes: diff.Changes{{Path: "description", Old: `"a"`, New: `"b"`}},
	}
	if got, want := p.Summary(), `update: UpdateAlias f:live (description: "a" -> "b")`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLiveCode checks plans of code whose identity AWS returns: one deployment, and none of what AWS has.
func TestLiveCode(t *testing.T) {
	zipped, err := archive.Zip(map[string][]byte{"index.py": []byte("x = 1")})
	if err != nil {
		t.Fatal(err)
	}
	adopted := func(f *v1beta1.Function) {
		f.Annotations = map[string]string{"lambda.aws.m.crossplane.io/adopt": "true"}
	}
	pinned := func(sum string) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) {
			f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
				S3Bucket: ptr.To("b"), S3Key: ptr.To("k.zip"),
				SHA256: ptr.To(sum),
			}
		}
	}
	tracked := func(f *v1beta1.Function) {
		f.Spec.ForProvider.Runtime, f.Spec.ForProvider.Handler, f.Spec.ForProvider.PackageType = nil, nil, ptr.To(
			"Image")
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
			ImageURI: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"), TrackImageTag: ptr.To(true),
		}
	}
	cases := map[string]struct {
		reason  string
		desired *v1beta1.Function
		want    []string
		message string
	}{
		"NewPinned": {
			reason: "The object has the pinned hash.", desired: function(pinned(archive.Hash(zipped))),
			want: []string{"CreateFunction checkout"},
		},
		"NewTracked": {
			reason: "The tag names an image.", desired: function(tracked),
			want: []string{"CreateFunction checkout"},
		},
		"WrongPin": {
			reason:  "The object has another hash.",
			desired: function(pinned("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")), message: "sha256",
		},
		"Changed": {
			reason:  "Other code is deployed once.",
			desired: function(pinned(archive.Hash(zipped)), adopted, func(f *v1beta1.Function) { f.Name = "cart" }),
			want:    []string{"UpdateFunctionCode cart"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := testenv.NewAWS(t, awsdouble.Options{})
			w.AddFunction("cart")
			w.Double.PutObject("b", "k.zip", zipped)
			w.Double.PutImage("hello", "v1", "sha256:0f3a")
			p := New(Options{
				Scheme: scheme(t), ClusterID: "c1", Now: w.Now,
				Resolver: resolving(w),
			})
			got := p.Plan(t.Context(), tc.desired, nil)
			var code []string
			for _, c := range calls(got) {
				if strings.Contains(c, "FunctionCode") || strings.HasPrefix(c, "CreateFunction") {
					code = append(code, c)
				}
			}
			if diff := cmp.Diff(tc.want, code); diff != "" || !strings.Contains(got.Message, tc.message) ||
				(got.Message == "") != (tc.message == "") {
				t.Errorf("%s\nmessage %q, code: -want, +got:\n%s", tc.reason, got.Message, diff)
			}
		})
	}
}

// TestCreatingMapping checks that a plan which waits for AWS says so.
func TestCreatingMapping(t *testing.T) {
	w := testenv.NewAWS(t, awsdouble.Options{CreateDuration: time.Hour})
	w.AddFunction("cart")
	created, err := w.Lambda.CreateEventSourceMapping(t.Context(), &lambda.CreateEventSourceMappingInput{
		FunctionName: ptr.To("cart"), EventSourceArn: ptr.To("arn:aws:sqs:eu-central-1:123456789012:orders"),
	})
	if err != nil {
		t.Fatal(err)
	}
	p := New(Options{
		Scheme: scheme(t), ClusterID: "c1", Now: w.Now,
		Resolver: resolving(w),
	})
	desired := &v1beta1.EventSourceMapping{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	desired.Spec.ForProvider.Region, desired.Spec.ForProvider.FunctionName = testenv.Region, ptr.To("cart")
	meta.SetExternalName(desired, *created.UUID)
	SetDefaults(desired)
	got := p.Plan(t.Context(), desired, nil)
	if want := "AWS has not completed an earlier change of it"; got.Action != Wait || got.Message != want {
		t.Errorf("a mapping in state Creating: got %s: %q, want %s: %q", got.Action, got.Message, Wait, want)
	}
}

// resolving returns what resolves every config to the double's account.
func resolving(w *testenv.AWS) func(client.Client) engine.Resolver {
	return func(client.Client) engine.Resolver {
		return fixed{&awssession.Session{
			AWS: w.Double.Config(testenv.Region), Partition: "aws",
			Identity: awssession.Identity{Account: awsdouble.DefaultAccount},
		}}
	}
}
