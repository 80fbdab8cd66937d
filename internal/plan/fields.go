package plan

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func copyOf(mg reconcile.Managed) reconcile.Managed {
	return mg.DeepCopyObject().(reconcile.Managed) //nolint:forcetypeassert // A copy has the type of the original.
}

// contentOf returns what a resource has, by the names of fields in JSON. It is nil if there is no JSON for it.
func contentOf(mg reconcile.Managed) map[string]any {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(mg)
	if err != nil {
		return nil
	}
	return m
}

func fieldOf(mg reconcile.Managed, name string) reflect.Value {
	return reflect.ValueOf(mg).Elem().FieldByName(name)
}

// copyField copies a field of a resource, such as its status, to another one of its kind.
func copyField(to, from reconcile.Managed, name string) {
	fieldOf(to, name).Set(fieldOf(copyOf(from), name))
}

// keepHistory copies what a resource has done before: the versions that it has published and the state of its rollout,
// if its kind has them.
func keepHistory(to, from reconcile.Managed) {
	status, was := fieldOf(to, "Status"), fieldOf(copyOf(from), "Status")
	if rollout := status.FieldByName("Rollout"); rollout.IsValid() {
		rollout.Set(was.FieldByName("Rollout"))
	}
	if at := status.FieldByName("AtProvider"); at.IsValid() && at.FieldByName("VersionHistory").IsValid() {
		at.FieldByName("VersionHistory").Set(was.FieldByName("AtProvider").FieldByName("VersionHistory"))
	}
}

// keepArtifact makes a resource that was reconciled with the present artifact of its Flux source remember the artifact
// that was deployed last, so that a later one is a change.
func keepArtifact(to, from reconcile.Managed) {
	now, last := deployed(to), deployed(from)
	if now != nil && last != nil && now.Revision != "" && last.Revision != "" {
		now.Source, now.Revision, now.Verified = last.Source, last.Revision, last.Verified
	}
}

// deployed returns what a resource remembers of its code or content, nil if it has none.
func deployed(mg reconcile.Managed) *v1beta1.DeployedCode {
	switch r := mg.(type) {
	case *v1beta1.Function:
		return r.Status.AtProvider.DeployedCode
	case *v1beta1.LayerVersion:
		return r.Status.AtProvider.PublishedContent
	}
	return nil
}

// unobserved has the fields that spec does not leave to AWS when it leaves them out: a qualifier is part of the name,
// and a hash of the code is a condition of a publication.
var unobserved = []string{"Qualifier", "CodeSHA256"}

// asObserved makes a resource ask for what AWS was observed to have, in fields that its spec leaves to AWS. An Alias
// with a rollout asks for the version that it invokes: the rollout decides on that, not the manifest alone.
func asObserved(mg reconcile.Managed) {
	fillObserved(fieldOf(mg, "Spec").FieldByName("ForProvider"), fieldOf(mg, "Status").FieldByName("AtProvider"))
	a, ok := mg.(*v1beta1.Alias)
	if !ok || a.Spec.Rollout == nil || a.Status.AtProvider.FunctionVersion == nil {
		return
	}
	p := &a.Spec.ForProvider
	p.FunctionVersion, p.FunctionVersionRef, p.FunctionVersionSelector = a.Status.AtProvider.FunctionVersion, nil, nil
	a.Spec.Rollout = nil
}

// fillObserved fills the scalars that a spec leaves out with those that were observed, in its blocks too. It reports
// whether it has filled any.
func fillObserved(spec, at reflect.Value) bool {
	filled := false
	for _, f := range reflect.VisibleFields(spec.Type()) {
		if f.Anonymous || slices.Contains(unobserved, f.Name) || refers(spec, f.Name) {
			continue
		}
		to, from := spec.FieldByIndex(f.Index), at.FieldByName(f.Name)
		if isBlock(f.Type) {
			filled = fillBlock(f.Name, to, from, at) || filled
		} else if from.IsValid() {
			filled = fillScalar(to, from) || filled
		}
	}
	return filled
}

// fillBlock fills a block. A block that spec leaves out is added if it has nothing but scalars.
func fillBlock(name string, to, from, at reflect.Value) bool {
	block := to.Type().Elem()
	if to.IsNil() && !slices.ContainsFunc(reflect.VisibleFields(block), func(f reflect.StructField) bool {
		return !isScalar(f.Type)
	}) {
		added := reflect.New(block)
		if fillBlock(name, added, from, at) {
			to.Set(added)
			return true
		}
		return false
	}
	switch {
	case to.IsNil():
		return false
	case from.IsValid() && isBlock(from.Type()):
		return !from.IsNil() && fillObserved(to.Elem(), from.Elem())
	case block.NumField() == 1: // The status of some blocks is a field, such as ephemeralStorageSize.
		from = at.FieldByName(name + block.Field(0).Name)
		return from.IsValid() && fillScalar(to.Elem().Field(0), from)
	}
	return false
}

// fillScalar sets a scalar that is not set, if there is a value of its type.
func fillScalar(to, from reflect.Value) bool {
	if !isScalar(to.Type()) || !to.IsZero() || from.IsZero() {
		return false
	}
	if from.Kind() == reflect.Pointer && to.Kind() != reflect.Pointer {
		from = from.Elem()
	}
	if from.Type() != to.Type() {
		return false
	}
	to.Set(from)
	return true
}

// isBlock reports whether a type is a pointer to a struct.
func isBlock(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// isScalar reports whether a type is a text, a number or a bool, or a pointer to one.
func isScalar(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return true
	default:
		return false
	}
}

// refers reports whether spec sets a field by a reference.
func refers(spec reflect.Value, name string) bool {
	return slices.ContainsFunc([]string{"Ref", "Selector", "From"}, func(suffix string) bool {
		f := spec.FieldByName(name + suffix)
		return f.IsValid() && !f.IsZero()
	})
}

func clearField(mg reconcile.Managed, name string) { fieldOf(mg, name).SetZero() }

func equalSpec(a, b reconcile.Managed) bool {
	return equality.Semantic.DeepEqual(fieldOf(a, "Spec").Interface(), fieldOf(b, "Spec").Interface())
}

// numbers returns the function or layer of a resource, and the number of the version that it has published last. The
// number of a Version that has no status yet is its external name.
func numbers(mg reconcile.Managed) (name string, last int64) {
	observed, _, _ := unstructured.NestedMap(contentOf(mg), "status", "atProvider")
	for _, at := range []string{"functionName", "layerName"} {
		if n, _ := observed[at].(string); n != "" {
			name = n
		}
	}
	for _, at := range []string{"latestPublishedVersion", "version"} {
		switch v := observed[at].(type) {
		case string:
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				return name, n
			}
		case int64:
			return name, v
		}
	}
	last, err := strconv.ParseInt(reconcile.ExternalName(mg), 10, 64)
	if err != nil {
		return name, 0
	}
	return name, last
}

// ownARN returns an ARN of Lambda in the status of a resource. It is in the account of the resource.
func ownARN(mg reconcile.Managed) (arn.ARN, bool) {
	at, _, _ := unstructured.NestedMap(contentOf(mg), "status", "atProvider")
	for _, k := range slices.Sorted(maps.Keys(at)) {
		text, _ := at[k].(string)
		if a, err := arn.Parse(text); err == nil && strings.HasSuffix(k, "Arn") && a.Service == "lambda" &&
			a.AccountID != "" {
			return a, true
		}
	}
	return arn.ARN{}, false
}

// functionAccount returns the region of a resource, and the account in the name of its function. It is empty if spec
// names none.
func functionAccount(mg reconcile.Managed) (region, account string) {
	spec, _, _ := unstructured.NestedMap(contentOf(mg), "spec", "forProvider")
	region, _ = spec["region"].(string)
	name, _ := spec["functionName"].(string)
	ref, _ := functionname.ParseReference(name)
	return region, ref.Account
}

// withoutChecks removes from a resource what can only be checked with AWS: the checksum of code in S3, the digest of
// an image's tag, and which code a function has. It returns what is not known then.
func withoutChecks(mg reconcile.Managed) []string {
	var unknown []string
	unpin := func(field string, key *string, sum **string) {
		if key != nil && *sum != nil {
			*sum = nil
			unknown = append(unknown, "whether the object in S3 has the checksum of "+field+".sha256")
		}
	}
	code := func(c *v1beta1.FunctionCode) {
		if c == nil {
			return
		}
		unpin("code", c.S3Key, &c.SHA256)
		if ptr.Deref(c.TrackImageTag, false) {
			c.TrackImageTag = nil
			unknown = append(unknown, "whether the tag of the image names another image since (trackImageTag)")
		}
	}
	switch r := mg.(type) {
	case *v1beta1.Function:
		code(r.Spec.ForProvider.Code)
		if r.Spec.InitProvider != nil {
			code(r.Spec.InitProvider.Code)
		}
	case *v1beta1.LayerVersion:
		if c := r.Spec.ForProvider.Content; c != nil {
			unpin("content", c.S3Key, &c.SHA256)
		}
	case *v1beta1.Version:
		if p := &r.Spec.ForProvider; p.CodeSHA256 != nil {
			p.CodeSHA256 = nil
			unknown = append(unknown, "whether the function has the code of codeSha256")
		}
	}
	return unknown
}

// SetDefaults sets what the API server sets by the definitions, as far as the provider depends on it, for a resource
// that no API server has seen.
func SetDefaults(mg reconcile.Managed) {
	if len(mg.GetManagementPolicies()) == 0 {
		mg.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionAll})
	}
	if mg.GetProviderConfigReference() == nil {
		mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{
			Kind: v1beta1.ClusterProviderConfigKind,
			Name: "default",
		})
	}
}

func creates(operation string) bool {
	return strings.HasPrefix(operation, "Create") || operation == "AddPermission" ||
		operation == "AddLayerVersionPermission"
}

func removes(operation string) bool {
	return strings.HasPrefix(operation, "Delete") || operation == "RemovePermission" ||
		operation == "RemoveLayerVersionPermission"
}
