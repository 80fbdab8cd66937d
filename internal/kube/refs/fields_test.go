package refs

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/restmapper"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestGet(t *testing.T) {
	number := role("number", "")
	number.Object["status"] = map[string]any{"arn": int64(1)}
	cases := map[string]struct {
		reason string
		get    bool
		change func(*v1beta1.FieldSelector)
		want   string
	}{
		"Found": {reason: "The field is read.", get: true, want: "arn:r"},
		"Missing": {
			reason: "A field that is not there has no value.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.FieldPath = "status.nope" },
			want:   "error: Role shop/r has no value at status.nope yet",
		},
		"NotAText": {
			reason: "Only texts are read.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.Name = "number" },
			want:   "error: Role shop/number has no value at status.arn yet",
		},
		"TooLong": {
			reason: "Other texts than names and ARNs are not kept in memory.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.Name = "long" },
			want:   "error: Role shop/long has a text of more than 8 KB at status.arn",
		},
		"NoObject": {
			reason: "A missing object is named.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.Name = "nope" }, want: "error: Role shop/nope does not exist",
		},
		"Forbidden": {
			reason: "The error says what to grant.",
			want:   `error: cannot read Role shop/r: grant the provider's ServiceAccount get, list and watch on roles of API group "iam.example.org"`,
		},
		"NoKind": {
			reason: "A kind that the cluster lacks is named.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.Kind = "Rule" },
			want:   "error: cannot read Rule shop/r: the cluster has no kind Rule in iam.example.org/v1",
		},
		"ClusterRaw": {
			reason: "What belongs to no namespace belongs to no tenant.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.Kind = "Account" },
			want: "error: cannot read Account shop/r: kind Account is cluster-scoped, and only objects in the " +
				"namespace of the resource can be read",
		},
		"NoVersion": {
			reason: "An invalid API version is reported.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.APIVersion = "a/b/c" },
			want:   `error: apiVersion "a/b/c" is not valid: use one such as iam.aws.m.upbound.io/v1beta1`,
		},
		"NoPath": {
			reason: "An invalid path is reported.", get: true,
			change: func(s *v1beta1.FieldSelector) { s.FieldPath = "status[" },
			want:   `error: fieldPath "status[" is not valid: use one such as status.atProvider.arn`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.create(role("r", "arn:r"))
			e.create(number.DeepCopy())
			e.create(role("long", strings.Repeat("x", maxText+1)))
			e.grant(tc.get)
			s := arnOf("r")
			if tc.change != nil {
				tc.change(&s)
			}
			if got := e.value(s); !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s\nwant %q\n got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestSpelling has the mapper of a real cluster, which maps kinds in other spellings too.
func TestSpelling(t *testing.T) {
	core := func(name, singular, kind string) metav1.APIResource {
		return metav1.APIResource{Name: name, SingularName: singular, Kind: kind, Namespaced: true}
	}
	mapper := restmapper.NewDiscoveryRESTMapper([]*restmapper.APIGroupResources{{
		Group: metav1.APIGroup{Versions: []metav1.GroupVersionForDiscovery{{
			GroupVersion: "v1",
			Version:      "v1",
		}}},
		VersionedResources: map[string][]metav1.APIResource{"v1": {
			core("secrets", "secret", "Secret"),
			core("configmaps", "configmap", "ConfigMap"), core("pods", "pod", "Pod"),
		}},
	}})
	const refused = "fields of Secrets cannot be selected, because AWS shows the value: select a field of another kind"
	cases := map[string]struct {
		reason           string
		apiVersion, kind string
		want             string
	}{
		"Secret": {
			reason: "Secrets are refused.", apiVersion: "v1", kind: "Secret",
			want: "cannot read Secret shop/db: " + refused,
		},
		"Lower": {
			reason: "The API server reads the same Secrets by this kind.", apiVersion: "v1", kind: "secret",
			want: "cannot read secret shop/db: " + refused,
		},
		"SlashGroup": {
			reason: "The core group has no name.", apiVersion: "/v1", kind: "secret",
			want: "cannot read secret shop/db: " + refused,
		},
		"ConfigMap": {
			reason: "A kind in another spelling is not watched, nor cached.", apiVersion: "v1",
			kind: "configmap",
			want: "cannot read configmap shop/db: the cluster spells this kind ConfigMap: correct it",
		},
		"Pod": {
			reason: "The same goes for all kinds.", apiVersion: "v1", kind: "pod",
			want: "cannot read pod shop/db: the cluster spells this kind Pod: correct it",
		},
		"Upper": {
			reason: "The cluster maps only the kind and its lower case.", apiVersion: "v1", kind: "SECRET",
			want: "cannot read SECRET shop/db: the cluster has no kind SECRET in v1",
		},
		"Read": {reason: "A kind that is spelled right is read.", apiVersion: "v1", kind: "Pod", want: "hunter2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := interceptor.NewClient(nil, interceptor.Funcs{Get: func(_ context.Context, _ client.WithWatch,
				_ client.ObjectKey, obj client.Object, _ ...client.GetOption,
			) error {
				obj.(*unstructured.Unstructured).Object["data"] = map[string]any{"password": "hunter2"}
				return nil
			}})
			r := NewFieldReader(FieldReaderOptions{
				Live: live, Mapper: mapper, Clock: clock.RealClock{},
				Log: logging.NewNopLogger(),
			})
			got, err := r.Get(t.Context(), "shop", v1beta1.FieldSelector{
				APIVersion: tc.apiVersion, Kind: tc.kind,
				Name: "db", FieldPath: "data.password",
			})
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%s\nwant %q\n got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// A countingMapper counts the mappings of kinds, each of which may be a request to the API server.
type countingMapper struct {
	kmeta.RESTMapper

	count int
}

func (m *countingMapper) RESTMapping(k schema.GroupKind, versions ...string) (*kmeta.RESTMapping, error) {
	m.count++
	return m.RESTMapper.RESTMapping(k, versions...)
}

// TestUnknownKind checks that a kind that the cluster lacks is looked up once in a while, however often specs that name
// it are read, and that it is found soon after it was installed.
func TestUnknownKind(t *testing.T) {
	e := newEnv(t)
	mapper := &countingMapper{RESTMapper: e.mapper}
	e.reader.o.Mapper = mapper
	rule := roleKind.GroupVersion().WithKind("Rule")
	read := func() string {
		_, err := e.reader.Get(t.Context(), "shop", v1beta1.FieldSelector{
			APIVersion: rule.GroupVersion().String(), Kind: rule.Kind, Name: "r", FieldPath: "status.arn",
		})
		return err.Error()
	}
	const lacks, has = "the cluster has no kind Rule", "Rule shop/r does not exist"
	for range 10 {
		if got := read(); !strings.Contains(got, lacks) {
			t.Errorf("want %q, got %q", lacks, got)
		}
	}
	if mapper.count != 1 {
		t.Errorf("the kind was looked up %d times, want once", mapper.count)
	}
	e.mapper.Add(rule, kmeta.RESTScopeNamespace)
	e.clock.Step(minDelay + time.Second)
	if got := read(); !strings.Contains(got, has) {
		t.Errorf("want %q, got %q", has, got)
	}
}

// TestKindsThatSpecsName lists the types of specs by which a user names a kind, so that each new one gets a rule:
// fields and Flux sources are read by FieldReader, conditions of dependencies show no other field, and configs have two
// kinds.
func TestKindsThatSpecsName(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	found, seen := map[string]bool{}, map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(at reflect.Type) {
		switch at.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(at.Elem())
		case reflect.Struct:
			if seen[at] {
				return
			}
			seen[at] = true
			for f := range at.Fields() {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == "kind" || name == "resource" {
					found[at.Name()] = true
				}
				walk(f.Type)
			}
		default:
		}
	}
	for kind, at := range scheme.KnownTypes(v1beta1.SchemeGroupVersion) {
		if spec, ok := at.FieldByName("Spec"); ok && !strings.HasSuffix(kind, "List") {
			walk(spec.Type)
		}
	}
	if diff := cmp.Diff(
		[]string{"FieldSelector", "ProviderConfigReference", "RolloutConditionDependency", "SourceReference"},
		slices.Sorted(maps.Keys(found)),
	); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestErrorThatMayPass(t *testing.T) {
	e := newEnv(t)
	boom := errors.New("boom")
	e.fail = boom
	if _, err := e.reader.Get(t.Context(), "shop", arnOf("r")); !errors.Is(err, boom) ||
		!strings.Contains(err.Error(), "cannot read Role shop/r") {
		t.Errorf("want the error and what it is about, got %v", err)
	}
}

func TestIn(t *testing.T) {
	one, two, three := arnOf("one"), arnOf("two"), arnOf("three")
	spec := v1beta1.FunctionSpec{
		ForProvider: v1beta1.FunctionParameters{FunctionSettings: v1beta1.FunctionSettings{
			RoleFrom:  &one,
			VPCConfig: &v1beta1.VPCConfig{SubnetIDsFrom: []v1beta1.FieldSelector{two, three}},
		}},
		InitProvider: &v1beta1.FunctionSettings{KMSKeyArnFrom: &one},
	}
	if diff := cmp.Diff([]v1beta1.FieldSelector{one, two, three, one}, In(spec)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := In(v1beta1.FunctionSpec{}); got != nil {
		t.Errorf("an empty spec refers to nothing, got %v", got)
	}
}

func TestResolve(t *testing.T) {
	e := newEnv(t)
	e.create(role("r", "arn:r"))
	e.create(role("s", "arn:s"))
	found, other, missing := arnOf("r"), arnOf("s"), arnOf("nope")
	set := "set"
	const at = "spec.forProvider"
	block := v1beta1.FunctionSettings{
		Role:          &set,
		KMSKeyArnFrom: &found,
		VPCConfig: &v1beta1.VPCConfig{
			SubnetIDs:            []string{set},
			SecurityGroupIDsFrom: []v1beta1.FieldSelector{other, found, other},
		},
	}
	before := block.DeepCopy()
	got, err := Resolve(t.Context(), e.reader, "shop", at, block)
	want := block.DeepCopy()
	want.KMSKeyArn, want.VPCConfig.SecurityGroupIDs = ptr.To("arn:r"), []string{"arn:s", "arn:r"}
	if diff := cmp.Diff(*want, got); diff != "" || err != nil {
		t.Errorf("selectors select, lists in their order and each value once: %v, -want +got:\n%s", err, diff)
	}
	if diff := cmp.Diff(*before, block); diff != "" {
		t.Errorf("the block is not changed, -want +got:\n%s", diff)
	}
	block.VPCConfig.SecurityGroupIDsFrom = []v1beta1.FieldSelector{found, missing}
	_, err = Resolve(t.Context(), e.reader, "shop", at, block)
	if err == nil ||
		err.Error() != "cannot resolve spec.forProvider.vpcConfig.securityGroupIdsFrom[1]: Role shop/nope does not exist" {
		t.Errorf("the field of spec is named, got %v", err)
	}
	mapping := v1beta1.EventSourceMappingSettings{
		SourceAccessConfigurations: []v1beta1.SourceAccessConfiguration{{URI: &set}, {URIFrom: &other}},
	}
	resolved, err := Resolve(t.Context(), e.reader, "shop", at, mapping)
	if err != nil || *resolved.SourceAccessConfigurations[0].URI != set ||
		*resolved.SourceAccessConfigurations[1].URI != "arn:s" {
		t.Errorf("items of lists are resolved, got %v, %v", resolved.SourceAccessConfigurations, err)
	}
	if mapping.SourceAccessConfigurations[1].URI != nil {
		t.Error("the list is not changed")
	}
	mapping.SourceAccessConfigurations[1].URIFrom = &missing
	_, err = Resolve(t.Context(), e.reader, "shop", at, mapping)
	if err == nil ||
		err.Error() != "cannot resolve spec.forProvider.sourceAccessConfigurations[1].uriFrom: Role shop/nope does not exist" {
		t.Errorf("the item is named, got %v", err)
	}
	for _, list := range [][]v1beta1.SourceAccessConfiguration{nil, {}} {
		mapping.SourceAccessConfigurations = list
		resolved, err = Resolve(t.Context(), e.reader, "shop", at, mapping)
		if diff := cmp.Diff(list, resolved.SourceAccessConfigurations); diff != "" || err != nil {
			t.Errorf("only an empty list asks for no items: %v, -want +got:\n%s", err, diff)
		}
	}
	if got, err := One(t.Context(), e.reader, "shop", at+".roleFrom", &set, nil); err != nil || got != &set {
		t.Errorf("without a selector the value stays, got %v, %v", got, err)
	}
}

// TestSelectorsSetFields finds for each selector of every spec the field that it sets.
func TestSelectorsSetFields(t *testing.T) {
	for _, spec := range []any{
		v1beta1.FunctionSpec{},
		v1beta1.EventSourceMappingSpec{},
		v1beta1.CapacityProviderSpec{},
		v1beta1.CodeSigningConfigSpec{},
		v1beta1.FunctionEventInvokeConfigSpec{},
		v1beta1.PermissionSpec{},
		v1beta1.ResourcePolicySpec{},
	} {
		if len(stepsOf(reflect.TypeOf(spec))) == 0 {
			t.Errorf("%T has no selectors", spec)
		}
	}
}
