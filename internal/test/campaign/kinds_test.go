package campaign

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ktypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

//go:embed testdata/kinds.yaml
var kindsYAML []byte

// A Kind is a kind of managed resource as the campaign uses it.
type Kind struct {
	// Kind, and Variant if there are several resources of a kind.
	Kind, Variant string

	// Creates is the operation that creates another external resource each time AWS accepts
	// it. Empty if it is idempotent.
	Creates string

	// ForProvider of the resource.
	ForProvider map[string]any

	// InitProvider of the resource, if it has one.
	InitProvider map[string]any

	// Rollout of an Alias, if it has one.
	Rollout map[string]any

	// Updates are merge patches of ForProvider.
	Updates map[string]map[string]any

	// tenant that owns the resource. Nil is the namespace that a simulation begins with.
	tenant *tenant
}

// Kinds returns one or more resources of every kind.
func Kinds() ([]Kind, error) {
	var out []Kind
	err := yaml.UnmarshalStrict(kindsYAML, &out)
	return out, err
}

// Name returns the name of the resource.
func (k Kind) Name() string {
	return k.tenant.prefix() + strings.ToLower(strings.TrimSuffix(k.Kind+"-"+k.Variant, "-"))
}

// UpdateNames returns the names of the updates, sorted.
func (k Kind) UpdateNames() []string { return slices.Sorted(maps.Keys(k.Updates)) }

// New returns a resource of the kind.
func (k Kind) New() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(v1beta1.SchemeGroupVersion.String())
	u.SetKind(k.Kind)
	u.SetNamespace(Namespace)
	u.SetName(k.Name())
	spec := withRollout(map[string]any{"forProvider": runtime.DeepCopyJSON(k.ForProvider)}, k.Rollout)
	if k.InitProvider != nil {
		spec["initProvider"] = runtime.DeepCopyJSON(k.InitProvider)
	}
	if k.tenant != nil {
		u.SetNamespace(k.tenant.namespace)
		spec["providerConfigRef"] = map[string]any{"kind": v1beta1.ProviderConfigKind, "name": tenantConfig}
	}
	u.Object["spec"] = spec
	return u
}

// Patch patches a resource as a user does.
func (s *Simulation) Patch(u *unstructured.Unstructured, patch map[string]any) {
	s.Helper()
	b, err := json.Marshal(patch)
	if err != nil {
		s.Fatal(err)
	}
	if err := s.Kube.Patch(s.Context(), u, client.RawPatch(ktypes.MergePatchType, b)); err != nil {
		s.Fatalf("cannot patch %s: %v", u.GetName(), err)
	}
}

// emptyZip is an archive without files.
const emptyZip = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// Prepare creates in AWS what the kinds' resources belong to. Nobody manages it.
func (s *Simulation) Prepare() {
	s.Helper()
	s.prepare(s.Lambda, "base")
	s.Double.CreateBucket("code", false)
	s.Double.PutObject("code", "one.zip", []byte(emptyZip))
	s.Double.PutObject("code", "two.zip", append([]byte(emptyZip[:20]), "\x01\x00x"...))
	s.Double.ResetCalls()
}

// prepare creates a function and a layer of a name that nobody manages.
func (s *Simulation) prepare(api *lambda.Client, base string) {
	s.Helper()
	ctx, must := s.Context(), func(err error) {
		s.Helper()
		if err != nil {
			s.Fatal(err)
		}
		time.Sleep(time.Minute) // All operations have completed in AWS.
	}
	_, err := api.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: aws.String(base), Role: aws.String("arn:aws:iam::123456789012:role/r"),
		Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython313, Code: &types.FunctionCode{ZipFile: []byte(emptyZip)},
	})
	must(err)
	_, err = api.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: aws.String(base)})
	must(err)
	_, err = api.CreateAlias(ctx, &lambda.CreateAliasInput{
		FunctionName: aws.String(base), Name: aws.String("stable"),
		FunctionVersion: aws.String("1"),
	})
	must(err)
	_, err = api.PublishLayerVersion(ctx, &lambda.PublishLayerVersionInput{
		LayerName: aws.String(base),
		Content:   &types.LayerVersionContentInput{ZipFile: []byte(emptyZip)},
	})
	must(err)
	// A Version must publish other settings than those of version 1.
	_, err = api.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(base), MemorySize: aws.Int32(192)})
	must(err)
}

// Resources returns the resources in AWS. It omits the names that AWS gives.
func (s *Simulation) Resources() []string {
	var out []string
	for _, t := range s.Double.Resources(awsdouble.DefaultAccount, Region) {
		id := t.ID
		if t.Kind == "EventSourceMapping" || t.Kind == "CodeSigningConfig" {
			id = ""
		}
		out = append(out, t.Kind+" "+id)
	}
	slices.Sort(out)
	return out
}
