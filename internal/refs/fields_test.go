package refs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

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
		"Found":      {reason: "The field is read.", get: true, want: "arn:r"},
		"Missing":    {reason: "A field that is not there has no value.", get: true, change: func(s *v1beta1.FieldSelector) { s.FieldPath = "status.nope" }, want: "error: Role shop/r has no value at status.nope yet"},
		"NotAText":   {reason: "Only texts are read.", get: true, change: func(s *v1beta1.FieldSelector) { s.Name = "number" }, want: "error: Role shop/number has no value at status.arn yet"},
		"NoObject":   {reason: "A missing object is named.", get: true, change: func(s *v1beta1.FieldSelector) { s.Name = "nope" }, want: "error: Role shop/nope does not exist"},
		"Forbidden":  {reason: "The error says what to grant.", want: `error: cannot read Role shop/r: grant the provider's ServiceAccount get, list and watch on roles of API group "iam.example.org"`},
		"NoKind":     {reason: "A kind that the cluster lacks is named.", get: true, change: func(s *v1beta1.FieldSelector) { s.Kind = "Rule" }, want: "error: cannot read Rule shop/r: the cluster has no kind Rule in iam.example.org/v1"},
		"ClusterRaw": {reason: "What belongs to no namespace belongs to no tenant.", get: true, change: func(s *v1beta1.FieldSelector) { s.Kind = "Account" }, want: "error: cannot read Account shop/r: kind Account is cluster-scoped, and only objects in the namespace of the resource can be read"},
		"Secret":     {reason: "Secrets cannot be read, because not all who may write a Function may read Secrets.", get: true, change: func(s *v1beta1.FieldSelector) { s.APIVersion, s.Kind = "v1", "Secret" }, want: "error: cannot read Secret shop/r: fields of Secrets cannot be selected, because AWS shows the value: select a field of another kind"},
		"NoVersion":  {reason: "An invalid API version is reported.", get: true, change: func(s *v1beta1.FieldSelector) { s.APIVersion = "a/b/c" }, want: `error: apiVersion "a/b/c" is not valid: use one such as iam.aws.m.upbound.io/v1beta1`},
		"NoPath":     {reason: "An invalid path is reported.", get: true, change: func(s *v1beta1.FieldSelector) { s.FieldPath = "status[" }, want: `error: fieldPath "status[" is not valid: use one such as status.atProvider.arn`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.create(role("r", "arn:r"))
			e.create(number.DeepCopy())
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

func TestErrorThatMayPass(t *testing.T) {
	e := newEnv(t)
	boom := errors.New("boom")
	e.fail = boom
	if _, err := e.reader.Get(t.Context(), "shop", arnOf("r")); !errors.Is(err, boom) || !strings.Contains(err.Error(), "cannot read Role shop/r") {
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
	if got := In(map[string]*v1beta1.FieldSelector{"a": &one}); !cmp.Equal(got, []v1beta1.FieldSelector{one}) {
		t.Errorf("maps are looked into, got %v", got)
	}
}

func TestOneAndAll(t *testing.T) {
	e := newEnv(t)
	e.create(role("r", "arn:r"))
	found, missing := arnOf("r"), arnOf("nope")
	set := "set"
	if got, err := One(t.Context(), e.reader, "shop", "spec.forProvider.roleFrom", &set, nil); err != nil || got != &set {
		t.Errorf("without a selector the value stays, got %v, %v", got, err)
	}
	if got, err := One(t.Context(), e.reader, "shop", "spec.forProvider.roleFrom", nil, &found); err != nil || *got != "arn:r" {
		t.Errorf("a selector selects, got %v, %v", got, err)
	}
	if got, err := All(t.Context(), e.reader, "shop", "spec.forProvider.layersFrom", []string{set}, nil); err != nil || !cmp.Equal(got, []string{set}) {
		t.Errorf("without selectors the values stay, got %v, %v", got, err)
	}
	got, err := All(t.Context(), e.reader, "shop", "spec.forProvider.layersFrom", nil, []v1beta1.FieldSelector{found, found})
	if err != nil || !cmp.Equal(got, []string{"arn:r", "arn:r"}) {
		t.Errorf("selectors select, in their order, got %v, %v", got, err)
	}
	_, err = All(t.Context(), e.reader, "shop", "spec.forProvider.layersFrom", nil, []v1beta1.FieldSelector{found, missing})
	if err == nil || err.Error() != "cannot resolve spec.forProvider.layersFrom[1]: Role shop/nope does not exist" {
		t.Errorf("the field of spec is named, got %v", err)
	}
}
