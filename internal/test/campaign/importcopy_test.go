package campaign

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// volatile are members of AWS's answers that differ between two accounts that have the same: what AWS makes up, and the
// code, which an import does not describe.
var volatile = []string{
	"CodeSha256", "CodeSize", "ConfigSha256", "CreationTime", "FunctionUrl", "LastModified", "LastModifiedTime",
	"LastUpdateStatus", "LastUpdateStatusReason", "LastUpdateStatusReasonCode",
	"Location", "RepositoryType", "ResolvedImageUri", "ResultMetadata", "RevisionId", "UUID", "EventSourceMappingArn",
	"RuntimeVersionConfig", "CodeSigningConfigId",
}

// sets are lists whose order means nothing.
var sets = []string{"AllowHeaders", "AllowMethods", "AllowOrigins", "ExposeHeaders"}

// madeUp matches what AWS makes up within a text.
var madeUp = regexp.MustCompile(`csc-[0-9a-z]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// stable returns an answer of AWS as text, without what differs between accounts.
func stable(t *testing.T, answer any) string {
	t.Helper()
	b, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, err = json.MarshalIndent(without(v), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return madeUp.ReplaceAllString(string(b), "ID")
}

func without(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	case map[string]any:
		for k := range v {
			if slices.Contains(volatile, k) || strings.HasPrefix(k, "crossplane-") {
				delete(v, k)
				continue
			}
			v[k] = without(v[k])
			if l, ok := v[k].([]any); ok && slices.Contains(sets, k) {
				slices.SortFunc(l, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			if inner, ok := v[k].(map[string]any); v[k] == nil || v[k] == false || ok && len(inner) == 0 ||
				k == "MaxAge" && v[k] == 0.0 {
				delete(v, k) // AWS may return it for what is not set.
			}
		}
	}
	return v
}

// content returns all that an account has of its functions, as text.
func (s *Simulation) content(t *testing.T) map[string]string {
	t.Helper()
	ctx, out := t.Context(), map[string]string{}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	keep := func(key string, answer any, err error) {
		t.Helper()
		if err == nil {
			out[key] = stable(t, answer)
		}
	}
	all, err := s.Lambda.ListFunctions(ctx, &lambda.ListFunctionsInput{})
	must(err)
	for _, f := range all.Functions {
		n := f.FunctionName
		got, err := s.Lambda.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: n})
		must(err)
		keep(*n, got, nil)
		rt, err := s.Lambda.GetRuntimeManagementConfig(ctx, &lambda.GetRuntimeManagementConfigInput{FunctionName: n})
		keep(*n+" runtime", rt, err)
		loop, err := s.Lambda.GetFunctionRecursionConfig(ctx, &lambda.GetFunctionRecursionConfigInput{FunctionName: n})
		keep(*n+" recursion", loop, err)
		signing, err := s.Lambda.GetFunctionCodeSigningConfig(ctx,
			&lambda.GetFunctionCodeSigningConfigInput{FunctionName: n})
		keep(*n+" signing", signing, err)
		urls, err := s.Lambda.ListFunctionUrlConfigs(ctx, &lambda.ListFunctionUrlConfigsInput{FunctionName: n})
		must(err)
		for _, u := range urls.FunctionUrlConfigs {
			keep("URL "+*u.FunctionArn, u, nil)
		}
		events, err := s.Lambda.ListFunctionEventInvokeConfigs(ctx,
			&lambda.ListFunctionEventInvokeConfigsInput{FunctionName: n})
		must(err)
		for _, e := range events.FunctionEventInvokeConfigs {
			keep("events "+*e.FunctionArn, e, nil)
		}
		aliases, err := s.Lambda.ListAliases(ctx, &lambda.ListAliasesInput{FunctionName: n})
		must(err)
		arns := []string{*f.FunctionArn}
		for _, a := range aliases.Aliases {
			keep("alias "+*a.AliasArn, a, nil)
			arns = append(arns, *a.AliasArn)
		}
		for _, arn := range arns {
			keep("policy "+arn, sortedStatements(t, s.Double.Policy(arn)), nil)
		}
	}
	mappings, err := s.Lambda.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{})
	must(err)
	for _, m := range mappings.EventSourceMappings {
		tags, err := s.Lambda.ListTags(ctx, &lambda.ListTagsInput{Resource: m.EventSourceMappingArn})
		must(err)
		key := "mapping " + *m.FunctionArn + " " + stable(t, []any{m.EventSourceArn, m.SelfManagedEventSource})
		keep(key, struct {
			types.EventSourceMappingConfiguration

			Tags map[string]string
		}{m, tags.Tags}, nil)
	}
	return out
}

// sortedStatements returns a policy whose statements are in an order of their own.
func sortedStatements(t *testing.T, text string) any {
	t.Helper()
	var out map[string]any
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	statements, _ := out["Statement"].([]any)
	slices.SortFunc(statements, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}

// recreatable changes a manifest so that the provider creates in an empty account what it describes.
func recreatable(u *unstructured.Unstructured) {
	if u.GetKind() == "Secret" {
		return
	}
	unstructured.RemoveNestedField(u.Object, "spec", "managementPolicies")
	fp, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")
	switch u.GetKind() {
	case v1beta1.FunctionKind:
		if fp["packageType"] != "Image" {
			fp["code"] = map[string]any{"inline": map[string]any{"index.py": "x = 1"}}
		}
	case v1beta1.LayerVersionKind:
		fp["content"] = map[string]any{"inline": map[string]any{"index.py": "x = 1"}}
		meta.RemoveAnnotations(u, meta.AnnotationKeyExternalName)
	case v1beta1.EventSourceMappingKind, v1beta1.CodeSigningConfigKind:
		meta.RemoveAnnotations(u, meta.AnnotationKeyExternalName)
	}
	u.Object["spec"].(map[string]any)["forProvider"] = fp //nolint:forcetypeassert // It has a spec.
}

// TestImportCopies checks that no setting is missing in the manifests of an import: in an empty account, the provider
// makes an account of them that has the same.
func TestImportCopies(t *testing.T) {
	seeds := []uint64{11, 12, 13}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from, to := newSimulation(t, awsdouble.Options{}), newSimulation(t, awsdouble.Options{})
				from.account(seed, *importFunctions, true)
				r := from.imported()
				var all []*unstructured.Unstructured
				for _, i := range r.Items {
					u := from.object(i)
					recreatable(u)
					to.Create(u)
					if i.Resource != nil {
						all = append(all, u)
					}
				}
				p := to.Start(&Network{})
				to.allReady(20*time.Minute, all)
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(from.content(t), to.content(t)); diff != "" {
					t.Errorf("the copy differs: -imported, +copy:\n%s", diff)
				}
			})
		})
	}
}
