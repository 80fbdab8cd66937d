package manager

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestMigration observes, imports and releases resources that another controller created, as docs/migrate describes.
// The tags are those that each controller sets on its resources. No resource is created again, and nothing but tags
// is changed.
func TestMigration(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		// function and others are the tags that the controller set on the function and on the other tagged resources.
		function, others map[string]string
		writes           []string
	}{
		"Upjet": {
			function: map[string]string{
				"crossplane-kind": "function.lambda.aws.m.upbound.io",
				"crossplane-name": "checkout", "crossplane-providerconfig": "default",
			},
			others: map[string]string{
				"crossplane-kind": "eventsourcemapping.lambda.aws.m.upbound.io",
				"crossplane-name": "orders", "crossplane-providerconfig": "default",
			},
			writes: []string{"TagResource", "TagResource", "TagResource"},
		},
		"ACK": {
			function: map[string]string{
				"services.k8s.aws/controller-version": "lambda-v1.14.0",
				"services.k8s.aws/namespace":          "shop",
			},
			writes: []string{"TagResource", "TagResource", "TagResource", "UntagResource"},
		},
		"Classic": {writes: []string{"TagResource", "TagResource", "TagResource"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, awsdouble.Options{})
			e.migrate(tc.function, tc.others, tc.writes)
		})
	}
}

func (e *env) migrate(function, others map[string]string, writes []string) {
	e.Helper()
	names := e.madeByAnother(function, others)
	before := e.config("Checkout").Configuration
	e.double.ResetCalls()

	all := e.manifests("testdata/migrated.yaml")
	for _, mg := range all {
		if name, ok := names[mg.GetObjectKind().GroupVersionKind().Kind]; ok {
			meta.SetExternalName(mg, name)
		}
		mg.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
		e.create(mg)
	}
	for _, mg := range all {
		e.differs(mg, "services.k8s.aws/")
	}
	if got := testenv.Writes(e.operations()); len(got) > 0 {
		e.Errorf("what is only observed must not be changed, got %v", got)
	}

	for _, mg := range all {
		if err := e.kube.Patch(e.Context(), mg,
			client.RawPatch(ktypes.MergePatchType, e.documentedPatch())); err != nil {
			e.Fatal(err)
		}
	}
	for _, mg := range all {
		e.ready(mg)
	}
	// PutRuntimeManagementConfig and its like must not be among them.
	if diff := cmp.Diff(writes, slices.Sorted(slices.Values(testenv.Writes(e.operations())))); diff != "" {
		e.Errorf("taking over is nothing but tags: -want, +got:\n%s", diff)
	}
	e.sameFunction(before)
	e.letGo(all)
}

// differs waits until a resource that is only observed is Ready, or differs only in tags with a prefix.
func (e *env) differs(mg reconcile.Managed, prefix string) {
	e.Helper()
	other := func(d v1beta1.Difference) bool { return !strings.HasPrefix(d.Field, "tags["+prefix) }
	e.until(mg.GetName()+" is Ready, or differs by tags alone", func() bool {
		e.get(mg)
		ds := mg.GetSummary().Differences
		return isReady(mg) || mg.GetCondition(xpv2.TypeReady).Reason == v1beta1.ReasonDiffers && len(ds) > 0 &&
			!slices.ContainsFunc(ds, other)
	})
}

// documentedPatch returns the patch with which docs/migrate imports a resource with kubectl.
func (e *env) documentedPatch() []byte {
	e.Helper()
	page, err := os.ReadFile("../../docs/migrate/README.md")
	if err != nil {
		e.Fatal(err)
	}
	_, step, _ := strings.Cut(string(page), "\n## 3. Take over\n")
	_, patch, _ := strings.Cut(step, "--type=merge -p '")
	patch, _, found := strings.Cut(patch, "'\n")
	if !found {
		e.Fatal("docs/migrate/README.md does not say how to take a resource over")
	}
	return []byte(patch)
}

// madeByAnother creates in AWS what testdata/migrated.yaml describes. It returns the names that AWS assigned, by kind.
func (e *env) madeByAnother(function, others map[string]string) map[string]string {
	e.Helper()
	ctx := e.Context()
	must := func(_ any, err error) {
		e.Helper()
		if err != nil {
			e.Fatal(err)
		}
	}
	for key, content := range map[string]string{"checkout.zip": "handler", "shared.zip": "shared"} {
		b, err := archive.Zip(map[string][]byte{"index.py": []byte(content)})
		must(b, err)
		e.double.PutObject("releases", key, b)
	}
	tags := map[string]string{"team": "shop"}
	maps.Copy(tags, function)
	name, alias := ptr.To("Checkout"), ptr.To("LIVE")
	must(e.aws.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: name, Role: ptr.To(
			"arn:aws:iam::123456789012:role/checkout"), Runtime: types.RuntimePython313,
		Handler:    ptr.To("index.handler"),
		Code:       &types.FunctionCode{S3Bucket: ptr.To("releases"), S3Key: ptr.To("checkout.zip")},
		MemorySize: ptr.To[int32](256), Timeout: ptr.To[int32](10), Tags: tags,
		Environment:   &types.Environment{Variables: map[string]string{"LOG_LEVEL": "info"}},
		TracingConfig: &types.TracingConfig{Mode: types.TracingModeActive},
	}))
	e.until("the function is there",
		func() bool { return e.config("Checkout").Configuration.State == types.StateActive })
	must(e.aws.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: name}))
	must(e.aws.CreateAlias(ctx, &lambda.CreateAliasInput{
		FunctionName: name, Name: alias,
		FunctionVersion: ptr.To("1"),
	}))
	must(e.aws.AddPermission(ctx, &lambda.AddPermissionInput{
		FunctionName: name, StatementId: ptr.To("AllowBucket"), Action: ptr.To(
			"lambda:InvokeFunction"), Principal: ptr.To("s3.amazonaws.com"),
		SourceArn: ptr.To("arn:aws:s3:::uploads"), SourceAccount: ptr.To("123456789012"),
	}))
	must(e.aws.CreateFunctionUrlConfig(ctx, &lambda.CreateFunctionUrlConfigInput{
		FunctionName: name, Qualifier: alias,
		AuthType: types.FunctionUrlAuthTypeAwsIam,
	}))
	must(e.aws.PutFunctionEventInvokeConfig(ctx, &lambda.PutFunctionEventInvokeConfigInput{
		FunctionName: name,
		Qualifier:    alias, MaximumRetryAttempts: ptr.To[int32](1),
	}))
	must(e.aws.PutProvisionedConcurrencyConfig(ctx, &lambda.PutProvisionedConcurrencyConfigInput{
		FunctionName: name,
		Qualifier:    alias, ProvisionedConcurrentExecutions: ptr.To[int32](2),
	}))
	must(e.aws.PutRuntimeManagementConfig(ctx, &lambda.PutRuntimeManagementConfigInput{
		FunctionName:    name,
		UpdateRuntimeOn: types.UpdateRuntimeOnFunctionUpdate,
	}))
	mapping, err := e.aws.CreateEventSourceMapping(ctx, &lambda.CreateEventSourceMappingInput{
		FunctionName:   name,
		EventSourceArn: ptr.To(ordersQueue), BatchSize: ptr.To[int32](5), Tags: others,
	})
	must(mapping, err)
	layer, err := e.aws.PublishLayerVersion(ctx, &lambda.PublishLayerVersionInput{
		LayerName: ptr.To("shared"), CompatibleRuntimes: []types.Runtime{types.RuntimePython313},
		Content: &types.LayerVersionContentInput{S3Bucket: ptr.To("releases"), S3Key: ptr.To("shared.zip")},
	})
	must(layer, err)
	must(e.aws.AddLayerVersionPermission(ctx, &lambda.AddLayerVersionPermissionInput{
		LayerName: ptr.To("shared"), VersionNumber: ptr.To[int64](1), StatementId: ptr.To("Partner"), Action: ptr.To(
			"lambda:GetLayerVersion"), Principal: ptr.To("111122223333"),
	}))
	signing, err := e.aws.CreateCodeSigningConfig(ctx, &lambda.CreateCodeSigningConfigInput{
		AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{
			"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/v",
		}}, Tags: others,
	})
	must(signing, err)
	return map[string]string{
		"EventSourceMapping": ptr.Deref(mapping.UUID, ""),
		"LayerVersion":       ptr.Deref(layer.LayerVersionArn, ""),
		"CodeSigningConfig":  ptr.Deref(signing.CodeSigningConfig.CodeSigningConfigArn, ""),
	}
}

// operations returns the names of the operations that were called in AWS.
func (e *env) operations() []string {
	var out []string
	for _, c := range e.double.Calls() {
		out = append(out, c.Operation)
	}
	return out
}

// sameFunction checks that the function is the one that existed before, and that its tags are only those of its
// manifest and of this provider.
func (e *env) sameFunction(before *types.FunctionConfiguration) {
	e.Helper()
	after := e.config("Checkout")
	if diff := cmp.Diff(ptr.Deref(before.CodeSha256, "")+ptr.Deref(before.LastModified, ""),
		ptr.Deref(after.Configuration.CodeSha256, "")+ptr.Deref(after.Configuration.LastModified, "")); diff != "" {
		e.Errorf("the function must be left as it was: %s", diff)
	}
	own := 0
	for k, v := range after.Tags {
		switch {
		case k == "team" && v == "shop":
		case strings.HasPrefix(k, "crossplane-"):
			own++
		default:
			e.Errorf("the tag %s is not in the manifest", k)
		}
	}
	if own != 6 || after.Tags["crossplane-kind"] != "function.lambda.aws.m.crossplane.io" {
		e.Errorf("the function must be marked as this provider's, got %v", after.Tags)
	}
}

// letGo deletes the resources as a user does who returns to the other controller.
func (e *env) letGo(all []reconcile.Managed) {
	e.Helper()
	e.double.ResetCalls()
	for _, mg := range all {
		edit(e, mg, func(mg reconcile.Managed) {
			mg.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
		})
		e.remove(mg)
	}
	for _, mg := range all {
		e.gone(mg)
	}
	if got := testenv.Writes(e.operations()); len(got) > 0 {
		e.Errorf("what is let go must stay in AWS as it is, got %v", got)
	}
}
