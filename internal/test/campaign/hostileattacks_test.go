package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	// elsewhere is the name of the attacker's credentials of another account.
	elsewhere = "elsewhere"

	elsewhereAccount = "222222222222"

	// atEndpoint is the name of the attacker's ClusterProviderConfig that reaches the account by endpoints of its own.
	atEndpoint = "hostile-endpoint"
)

// prepareAttacks creates the attacker's namespace and its configs, which may have been deleted since.
func (w *hostileWalk) prepareAttacks() {
	w.Helper()
	w.Double.AddAccessKey(keyOf(elsewhere), elsewhereAccount)
	pc := w.config(hostile)
	pc.Name, pc.Spec.Endpoint.URL.Static = atEndpoint, aws.String("http://vpce.test")
	own := (&tenant{namespace: hostile}).config()
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}}, pc, w.ownSecret(hostile), own,
	} {
		_ = w.Kube.Create(w.Context(), o) // It may exist, and the namespace may still be deleted.
	}
}

// ownSecret returns the Secret of the attacker's ProviderConfig with the access key of a name.
func (w *hostileWalk) ownSecret(of string) *corev1.Secret {
	s := (&tenant{namespace: hostile}).secret(0)
	s.Data["aws_access_key_id"] = []byte(keyOf(of))
	return s
}

// useKey gives the attacker's ProviderConfig the access key of a name.
func (w *hostileWalk) useKey(of string) {
	w.Helper()
	w.notef("  own has the key of %s", of)
	_ = w.Kube.Update(w.Context(), w.ownSecret(of))
}

// attackOnce makes one random attack.
func (w *hostileWalk) attackOnce(r *rand.Rand) {
	w.Helper()
	w.attacks++
	switch n := r.IntN(60); { //nolint:mnd // Any number.
	case n == 0:
		w.notef("  delete the namespace")
		_ = w.Kube.Delete(w.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
	case n == 1:
		_ = w.Kube.Delete(w.Context(), (&tenant{namespace: hostile}).config())
		w.useKey(pick(r, hostile, elsewhere))
	case n == 2: //nolint:mnd // As above.
		w.useKey(pick(r, hostile, hostile, elsewhere))
	case n < 10: //nolint:mnd // As above.
		w.copyOwned(r)
	case n < 40 && len(w.theirs) > 0: //nolint:mnd // Half of them.
		w.disturb(r, w.theirs[r.IntN(len(w.theirs))].DeepCopy())
	default:
		u := w.randomAttack(r)
		if r.IntN(4) == 0 { //nolint:mnd // One in four.
			u.SetAnnotations(w.forged(r, "uid"))
		}
		w.createTheirs(u)
	}
	if w.Cluster.Object(corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKey{Name: hostile}) == nil ||
		r.IntN(20) == 0 { //nolint:mnd // The config may be gone, too.
		w.prepareAttacks()
	}
}

// createTheirs creates a resource of the attacker.
func (w *hostileWalk) createTheirs(u *unstructured.Unstructured) {
	if w.Kube.Create(w.Context(), u) != nil {
		return // The API server does not admit it, or it exists.
	}
	w.notef("  attack by %s %s: %v %v", u.GetKind(), u.GetName(), u.Object["spec"], u.GetAnnotations())
	w.theirs = append(w.theirs, u)
}

// copyOwned restores a backup of a resource of the attacked tenant in the attacker's namespace, or creates its like.
// Some have its annotations as if they were the attacker's own, which is paused until then.
func (w *hostileWalk) copyOwned(r *rand.Rand) {
	u := pick(r, w.mine...).DeepCopy()
	if w.gone(u) {
		return
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		w.Fatal(err)
	}
	if err := json.Unmarshal(
		[]byte(strings.ReplaceAll(string(text), markOf+Namespace, markOf+hostile)),
		&u.Object,
	); err != nil {
		w.Fatal(err)
	}
	annotations := u.GetAnnotations()
	c := tenantResource(u.GetKind(), hostile, u.GetName(), map[string]any{})
	c.Object["spec"] = u.Object["spec"]
	_ = unstructured.SetNestedMap(c.Object, configs(r), "spec", "providerConfigRef")
	c.SetAnnotations(annotations)
	if r.IntN(2) == 0 {
		w.createTheirs(c)
		return
	}
	paused := map[string]string{"crossplane.io/paused": "true"}
	maps.Copy(paused, annotations)
	c.SetAnnotations(paused)
	w.createTheirs(c)
	for k, v := range annotations {
		annotations[k] = strings.ReplaceAll(v, string(u.GetUID()), string(c.GetUID()))
	}
	w.change(c, map[string]any{"metadata": map[string]any{"annotations": annotations}})
	w.change(c, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"crossplane.io/paused": nil}}})
}

// disturb changes an attacker's resource.
func (w *hostileWalk) disturb(r *rand.Rand, created *unstructured.Unstructured) {
	now := w.Cluster.Object(created.GroupVersionKind(), client.ObjectKeyFromObject(created))
	if now == nil {
		created.SetResourceVersion("")
		w.createTheirs(created)
		return
	}
	annotations := map[string]any{}
	for k, v := range w.forged(r, string(now.GetUID())) {
		annotations[k] = v
	}
	if w.forges && r.IntN(2) == 0 {
		w.forgeStatus(r, now)
		return
	}
	switch r.IntN(10) { //nolint:mnd // As many as there are.
	case 0:
		w.notef("  delete %s %s", now.GetKind(), now.GetName())
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), now))
	case 1: // A backup, which is restored once it is gone.
		now.SetResourceVersion("")
		w.theirs = append(w.theirs, now)
	case 2, 3: //nolint:mnd // Twice as often.
		w.change(now, map[string]any{"metadata": map[string]any{"annotations": annotations}})
	case 4: //nolint:mnd // As above.
		w.change(now, map[string]any{"spec": map[string]any{"providerConfigRef": configs(r)}})
	case 5, 6, 7: //nolint:mnd // As above.
		other := w.randomAttack(r)
		for other.GetKind() != now.GetKind() {
			other = w.randomAttack(r)
		}
		fields, _, _ := unstructured.NestedMap(other.Object, "spec", "forProvider")
		patch := map[string]any{"spec": map[string]any{pick(r, "forProvider", "forProvider", "initProvider"): fields}}
		if r.IntN(3) == 0 { //nolint:mnd // One in three.
			patch["metadata"] = map[string]any{"annotations": annotations}
		}
		w.change(now, patch)
	default:
		if observes(created) {
			return // The API server does not admit it without what creation needs.
		}
		policies := pick(
			r,
			[]any{"*"},
			[]any{"*"},
			[]any{"Observe", "Create", "Update", "Delete"},
			[]any{"Observe", "Create"},
			[]any{"Observe"},
			[]any{"Observe", "Delete"},
			[]any{"Observe", "Create", "Update", "LateInitialize"},
		)
		w.change(now, map[string]any{"spec": map[string]any{"managementPolicies": policies}})
	}
}

// change patches an attacker's resource, which may not exist.
func (w *hostileWalk) change(u *unstructured.Unstructured, patch map[string]any) {
	b, err := json.Marshal(patch)
	if err != nil {
		w.Fatal(err)
	}
	w.notef("  change %s %s: %s", u.GetKind(), u.GetName(), b)
	_ = w.Kube.Patch(w.Context(), u.DeepCopy(), client.RawPatch(types.MergePatchType, b))
}

// forgeStatus lets the status of an attacker's resource be that of an attacked one, or name what that tenant owns.
func (w *hostileWalk) forgeStatus(r *rand.Rand, u *unstructured.Unstructured) {
	status, _, _ := unstructured.NestedMap(u.Object, "status")
	if r.IntN(3) == 0 || status == nil { //nolint:mnd // One in three.
		for _, victim := range w.mine {
			if now := w.Cluster.Object(
				victim.GroupVersionKind(),
				client.ObjectKeyFromObject(victim),
			); now != nil &&
				now.GetKind() == u.GetKind() {
				status, _, _ = unstructured.NestedMap(now.Object, "status")
			}
		}
	}
	of := func(text string) string {
		text = strings.ReplaceAll(text, markOf+Namespace, markOf+hostile)
		switch r.IntN(4) { //nolint:mnd // As many as there are.
		case 0:
			return w.ownedName(r)
		case 1:
			return strings.ReplaceAll(text, u.GetName(), pick(r, "checkout", "cart", "lib", "pool"))
		default:
			return text
		}
	}
	u.Object["status"] = forgedValue(r, status, of)
	w.notef("  forge the status of %s %s: %v", u.GetKind(), u.GetName(), u.Object["status"])
	_ = w.Kube.Status().Update(w.Context(), u) // It may have been changed since.
}

// forgedValue returns a value of which some strings are others, and some members are missing.
func forgedValue(r *rand.Rand, value any, of func(string) string) any {
	switch value := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(value)) {
			if value[k] = forgedValue(r, value[k], of); r.IntN(30) == 0 { //nolint:mnd // Seldom.
				delete(value, k)
			}
		}
	case []any:
		for i := range value {
			value[i] = forgedValue(r, value[i], of)
		}
	case string:
		_, err := time.Parse(time.RFC3339, value)
		if _, other := time.ParseDuration(value); err != nil && other != nil { // The API server admits no others there.
			return of(value)
		}
	}
	return value
}

// observes reports whether a resource only observes.
func observes(u *unstructured.Unstructured) bool {
	policies, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "managementPolicies")
	return slices.Equal(policies, []string{"Observe"})
}

// pick returns one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// configs returns a reference to one of the attacker's configs.
func configs(r *rand.Rand) map[string]any {
	kind, name := v1beta1.ClusterProviderConfigKind, pick(r, hostile, hostile, atEndpoint, tenantConfig)
	if name == tenantConfig {
		kind = v1beta1.ProviderConfigKind
	}
	return map[string]any{"kind": kind, "name": name}
}

// functionSpelling returns a spelling of a function of the attacked tenant.
func functionSpelling(r *rand.Rand) string {
	name := pick(r, "checkout", "checkout", "cart", "Checkout")
	arn := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":function:" + name
	return pick(
		r,
		name,
		name,
		name,
		arn,
		arn+":$LATEST",
		arn+":live",
		"function:"+name,
		awsdouble.DefaultAccount+":"+name,
		awsdouble.DefaultAccount+":function:"+name,
		name+":live",
		"https://lambda/"+name,
	)
}

// ownedName returns a name, ARN or UUID that AWS has given to something of the attacked tenant, or will give it.
func (w *hostileWalk) ownedName(r *rand.Rand) string {
	prefix := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":"
	names := []string{
		functionSpelling(r),
		fmt.Sprintf("%slayer:lib:%d", prefix, r.IntN(4)),
		prefix + "capacity-provider:pool",
		"pool",
		"live",
		"checkout:live",
		"allow",
		"checkout/allow",
	} //nolint:mnd // The first versions.
	for _, t := range w.Double.Resources(awsdouble.DefaultAccount, Region) {
		if t.Kind == "EventSourceMapping" || t.Kind == "CodeSigningConfig" {
			names = append(names, t.ID)
		}
	}
	return pick(r, names...)
}

// forged returns annotations that claim something, as those of a resource with a UID do.
func (w *hostileWalk) forged(r *rand.Rand, uid string) map[string]string {
	name, now := w.ownedName(r), time.Now().Format(time.RFC3339)
	all := map[string]string{
		"crossplane.io/external-name":             pick(r, name, w.ownedName(r)),
		"crossplane.io/external-create-pending":   now,
		"crossplane.io/external-create-succeeded": now,
		"crossplane.io/external-create-failed":    now,
		"crossplane.io/paused":                    pick(r, "true", "false"),
		v1beta1.AnnotationAdopt:                   "true",
		v1beta1.AnnotationPlan:                    pick(r, "true", "false"),
		v1beta1.AnnotationParent:                  functionSpelling(r),
		v1beta1.AnnotationNamedBy:                 uid + "/" + name,
		v1beta1.AnnotationUnanswered:              uid + "/" + now,
		v1beta1.AnnotationAsked:                   pick(r, "[{}]", "[]", "x"),
		v1beta1.AnnotationIntent:                  pick(r, uid+"/0/x", `{"uid":"`+uid+`","before":0,"settings":""}`),
		v1beta1.AnnotationLastInvocation: fmt.Sprintf(
			`{"of":"%s/x%d","uid":%q,"action":"create","outcome":"Succeeded","ran":true,"serial":9,"at":%q}`,
			hostile,
			r.IntN(5),
			uid,
			now,
		), //nolint:mnd // As many names.
	}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if r.IntN(3) > 0 { //nolint:mnd // A third of them.
			delete(all, k)
		}
	}
	return all
}

// randomAttack returns a random resource of the attacker that names something of the attacked tenant, or is the
// attacker's own.
func (w *hostileWalk) randomAttack(r *rand.Rand) *unstructured.Unstructured {
	mark := markOf + hostile
	name := pick(
		r,
		"checkout",
		"cart",
		"lib",
		"pool",
		fmt.Sprint("x", r.IntN(5)),
		fmt.Sprint("x", r.IntN(20)),
	) //nolint:mnd // A few.
	ref := map[string]any{"name": pick(r, "checkout", "cart", "lib", "pool", "live", "signed"), "namespace": Namespace}
	selector := map[string]any{
		"matchLabels": map[string]any{"team": Namespace},
		"namespace":   pick(r, Namespace, Namespace, hostile),
	}
	by := func(fields map[string]any, field string) map[string]any {
		delete(fields, field)
		if r.IntN(2) == 0 {
			fields[field+"Selector"] = selector
		} else {
			fields[field+"Ref"] = ref
		}
		return fields
	}
	function := func(field string, value any) map[string]any {
		return functionFields(map[string]any{"description": mark, field: value})
	}
	on := func(fields map[string]any) map[string]any {
		fields["functionName"] = functionSpelling(r)
		switch r.IntN(16) { //nolint:mnd // Seldom: a reference is refused by a rule of its own.
		case 0:
			by(fields, "functionName")
		case 1, 2: //nolint:mnd // As above.
			delete(fields, "functionName")
			fields["functionNameRef"] = map[string]any{"name": pick(r, "checkout", "cart", "x1", "x2", "x3")}
		case 3, 4: //nolint:mnd // As above.
			fields["functionName"] = pick(r, "base", "x1", "x2", "x3")
		}
		if r.IntN(8) == 0 { //nolint:mnd // As above.
			fields["qualifier"] = pick(r, "live", "1", "$LATEST")
		}
		return fields
	}
	prefix := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":"
	version := fmt.Sprintf("%slayer:lib:%d", prefix, 1+r.IntN(4)) //nolint:mnd // The first versions.
	instances := func(fields map[string]any) map[string]any {
		return function(
			"capacityProviderConfig",
			map[string]any{"lambdaManagedInstancesCapacityProviderConfig": fields},
		)
	}
	pool := map[string]any{"capacityProviderArn": prefix + "capacity-provider:pool"}
	grant := map[string]any{"layerVersionArn": version, "action": "lambda:GetLayerVersion", "principal": "*"}
	policy := map[string]any{"resourceArn": functionSpelling(r), "policy": `{"Version":"2012-10-17","Statement":[]}`}
	u := pick(
		r,
		of(hostile, "Function", name, function("layers", []any{version})),
		of(hostile, "Function", name, function("layerRefs", []any{ref})),
		of(hostile, "Function", name, function("layerSelector", selector)),
		of(hostile, "Function", name, instances(pool)),
		of(hostile, "Function", name, instances(by(maps.Clone(pool), "capacityProviderArn"))),
		of(hostile, "Function", name, function("codeSigningConfigArn", w.ownedName(r))),
		of(hostile, "Function", name, by(function("timeout", int64(4)), "codeSigningConfigArn")), //nolint:mnd // Any.
		of(hostile, "Function", name, functionFields(nil)),
		of(
			hostile,
			"LayerVersion",
			name,
			map[string]any{
				"layerName": pick(r, "lib", "lib", "mylib"),
				"content":   map[string]any{"s3Bucket": "code", "s3Key": "two.zip"},
			},
		),
		of(hostile, "CapacityProvider", name, capacityFields("operator2")),
		of(hostile, "CodeSigningConfig", name, signingFields(mark)),
		of(hostile, "Function", name, map[string]any{}, "Observe"),
		of(hostile, "LayerVersion", name, map[string]any{}, "Observe"),
		of(hostile, "CapacityProvider", name, map[string]any{}, "Observe"),
		of(hostile, "CodeSigningConfig", name, map[string]any{}, "Observe"),
		of(hostile, "EventSourceMapping", name, map[string]any{}, "Observe"),
		of(hostile, "Alias", name, on(map[string]any{"functionVersion": pick(r, "1", "$LATEST"), "description": mark})),
		of(
			hostile,
			"Permission",
			name,
			on(map[string]any{"action": "lambda:InvokeFunction", "principal": "111122223333"}),
		),
		of(hostile, "FunctionURL", name, on(map[string]any{"authType": "NONE"})),
		of(hostile, "Version", name, on(map[string]any{"description": mark})),
		of(
			hostile,
			"Invocation",
			name,
			on(map[string]any{"payload": "{}", "lifecycleScope": pick(r, "CREATE_ONLY", "CRUD")}),
		),
		of(
			hostile,
			"EventSourceMapping",
			name,
			on(map[string]any{"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:" + pick(r, "mine", "orders")}),
		),
		of(hostile, "FunctionEventInvokeConfig", name, on(map[string]any{"maximumRetryAttempts": int64(0)})),
		of(
			hostile,
			"FunctionEventInvokeConfig",
			name,
			map[string]any{
				"functionName":      "base",
				"destinationConfig": map[string]any{"onSuccess": map[string]any{"destination": functionSpelling(r)}},
			},
		),
		of(
			hostile,
			"FunctionEventInvokeConfig",
			name,
			map[string]any{
				"functionName":      "base",
				"destinationConfig": map[string]any{"onSuccess": by(map[string]any{}, "destination")},
			},
		),
		of(
			hostile,
			"ProvisionedConcurrencyConfig",
			name,
			on(map[string]any{"provisionedConcurrentExecutions": int64(1)}),
		),
		of(hostile, "RuntimeManagementConfig", name, on(map[string]any{"updateRuntimeOn": "FunctionUpdate"})),
		of(hostile, "ResourcePolicy", name, policy),
		of(hostile, "ResourcePolicy", name, by(maps.Clone(policy), "resourceArn")),
		of(hostile, "LayerVersionPermission", name, grant),
		of(hostile, "LayerVersionPermission", name, by(maps.Clone(grant), "layerVersionArn")),
		of(
			hostile,
			"LayerVersionPermission",
			name,
			map[string]any{
				"layerName":     "lib",
				"versionNumber": int64(1 + r.IntN(4)),
				"action":        "lambda:GetLayerVersion",
				"principal":     "*",
			},
		), //nolint:mnd // As above.
	)
	_ = unstructured.SetNestedMap(u.Object, configs(r), "spec", "providerConfigRef")
	return u
}
