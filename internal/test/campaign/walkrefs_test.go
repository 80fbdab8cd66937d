package campaign

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// parents are the Functions that referring resources of a walk are of: one publishes its versions itself, a Version
// publishes those of the other one.
func parents() []Kind {
	function := func(variant string, publish bool) Kind {
		return Kind{
			Kind: "Function", Variant: variant, Creates: "CreateFunction",
			ForProvider: map[string]any{
				"region": Region, "role": "arn:aws:iam::123456789012:role/r", "runtime": "python3.13",
				"handler": "index.handler", "publish": publish,
				"code": map[string]any{"inline": map[string]any{"index.py": "x = 1"}},
			},
			Updates: map[string]map[string]any{
				"code":   {"code": map[string]any{"inline": map[string]any{"index.py": "x = 2"}}},
				"memory": {"memorySize": int64(256)},
			},
		}
	}
	return []Kind{function("publisher", true), function("published-by-version", false)}
}

// listedKinds returns Functions that exist from the start, so that they are polled by list.
func listedKinds() []Kind {
	var out []Kind
	for i := range 8 { //nolint:mnd // ListFunctions then takes fewer calls.
		k := parents()[i%2]
		k.Variant = fmt.Sprint("listed-", i)
		out = append(out, k)
	}
	return out
}

// referringKinds returns resources that name others of the walk by references, and those.
func referringKinds() []Kind {
	to := func(name string) map[string]any { return map[string]any{"name": name} }
	publisher, other := parents()[0].Name(), parents()[1].Name()
	all := []struct {
		kind, creates, function string
		settings                map[string]any
	}{
		{"Alias", "CreateAlias", publisher, nil},
		{
			"FunctionURL",
			"CreateFunctionUrlConfig",
			publisher,
			map[string]any{"authType": "AWS_IAM", "qualifierRef": to("alias-referring")},
		},
		{"Permission", "AddPermission", publisher, map[string]any{
			"action": "lambda:InvokeFunction", "principal": "s3.amazonaws.com", "qualifierRef": to("alias-referring"),
		}},
		{"EventSourceMapping", "CreateEventSourceMapping", publisher, map[string]any{
			"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:carts", "qualifierRef": to("alias-referring"),
		}},
		{"ProvisionedConcurrencyConfig", "", publisher, map[string]any{
			"provisionedConcurrentExecutions": int64(1), "qualifierRef": to("alias-referring"),
		}},
		{"FunctionEventInvokeConfig", "", other, map[string]any{"maximumRetryAttempts": int64(1)}},
		{"Version", "PublishVersion", other, nil},
	}
	out := parents()
	for _, r := range all {
		k := Kind{Kind: r.kind, Variant: "referring", Creates: r.creates, ForProvider: map[string]any{
			"region": Region, "functionNameRef": to(r.function),
		}}
		maps.Copy(k.ForProvider, r.settings)
		out = append(out, k)
	}
	statement := func(account string) map[string]any {
		return map[string]any{
			"policy": `{"Version": "2012-10-17", "Statement": [{"Sid": "partners", "Effect": "Allow", ` +
				`"Principal": {"AWS": "arn:aws:iam::` + account + `:root"}, "Action": "lambda:InvokeFunction", ` +
				`"Resource": "arn:aws:lambda:eu-central-1:123456789012:function:` + other + `"}]}`,
		}
	}
	policy := Kind{
		Kind: "ResourcePolicy", Variant: "referring", ForProvider: statement("210987654321"),
		Updates: map[string]map[string]any{"policy": statement("310987654321")},
	}
	policy.ForProvider["region"], policy.ForProvider["resourceArnRef"] = Region, to(other)
	return append(out, policy, Kind{
		Kind: "Alias", Variant: "of-version", Creates: "CreateAlias", ForProvider: map[string]any{
			"region": Region, "functionNameRef": to(other), "functionVersionRef": to("version-referring"),
		},
	}, Kind{
		Kind: "Alias", Variant: "rolled-out", Creates: "CreateAlias",
		ForProvider: map[string]any{"region": Region, "functionNameRef": to(publisher)},
		Rollout: map[string]any{"strategy": map[string]any{"canary": map[string]any{"steps": []any{
			map[string]any{"setWeight": int64(50)}, map[string]any{"pause": map[string]any{"duration": "20s"}},
		}}}},
	})
}

// policies are values of managementPolicies that a user may set for a while.
var policies = [][]string{ //nolint:gochecknoglobals // They do not change.
	{
		"Observe",
	},
	{"Observe", "Delete"},
	{"Observe", "Create", "Delete"},
	{"Observe", "Create", "Update", "Delete"},
	{"*"},
}

// restrict changes what the provider may do with a resource, if it exists.
func (w *walker) restrict(k Kind, choice int) {
	w.Helper()
	w.patch(k, map[string]any{"spec": map[string]any{"managementPolicies": policies[choice%len(policies)]}})
}

// annotate sets an annotation of a resource, if it exists.
func (w *walker) annotate(k Kind, name, value string) {
	w.Helper()
	w.patch(k, map[string]any{"metadata": map[string]any{"annotations": map[string]any{name: value}}})
}

func (w *walker) patch(k Kind, patch map[string]any) {
	w.Helper()
	if u := k.New(); !w.gone(u) {
		w.Patch(u, patch)
	}
}

// unrestrict ends what users have asked for that keeps resources from becoming Ready.
func (w *walker) unrestrict() {
	w.Helper()
	for _, k := range w.kinds {
		u := k.New()
		if w.gone(u) {
			continue
		}
		if meta.IsPaused(u) {
			w.annotate(k, meta.AnnotationKeyReconciliationPaused, "false")
		}
		if p, _, _ := unstructured.NestedStringSlice(
			u.Object,
			"spec",
			"managementPolicies",
		); len(p) > 0 &&
			p[0] != "*" {
			w.restrict(k, len(policies)-1)
		}
	}
}

// delete deletes a resource of which a deletion reaches AWS.
func (w *walker) delete(k Kind) {
	w.Helper()
	w.restrict(k, len(policies)-1)
	if u := k.New(); !w.gone(u) {
		_ = w.Kube.Delete(w.Context(), u)
	}
}
