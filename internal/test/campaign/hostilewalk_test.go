package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/watchfault"
)

const (
	// attacksOfStep is how many attacks there are for each step of everyone else.
	attacksOfStep = 4

	// walksOfGroup is how many walks have the same steps of everyone but the attacker, so that they are compared with the
	// same walk without attacks.
	walksOfGroup = 4

	// markOf is a word in what a tenant's resources are called nowhere, followed by the tenant's namespace.
	markOf = "planted_by_"
)

// TestHostileWalk lets one of two tenants of an account attack the other in random ways. Nothing of a tenant may be
// changed in AWS with the other's credentials, at any instant, or be seen in what the other can read. The attacked
// tenant's resources become Ready within twice the time that they take without the attacks.
func TestHostileWalk(t *testing.T) {
	seeds := []uint64{*seed}
	if *seed == 0 {
		seeds = nil
		for i := range *figures.HostileWalks {
			seeds = append(seeds, *figures.First+uint64(i)) //nolint:gosec // It is not negative.
		}
	}
	failed, attacks := 0, 0
	var alone *hostileWalk
	for _, n := range seeds {
		ok := t.Run(fmt.Sprint(n), func(t *testing.T) {
			group := (n - 1) / walksOfGroup
			if alone == nil || alone.group != group {
				alone = walkBeside(t, group, 0)
			}
			w := walkBeside(t, group, n)
			attacks += w.attacks
			w.compare(t, alone)
		})
		if !ok {
			failed++
			t.Logf("replay it by -run TestHostileWalk -campaign.seed=%d", n)
		}
	}
	t.Logf("seeds %d to %d", seeds[0], seeds[len(seeds)-1])
	figures.Record(t, figures.Figures{
		Campaign: "Hostile tenants", Findings: failed,
		Figures: map[string]int{"walks": len(seeds), "steps": len(seeds) * *figures.HostileSteps, "attacks": attacks},
	})
}

// walkBeside runs a walk of a group, with the attacks of a seed, or without attacks if that is 0.
func walkBeside(t *testing.T, group, attacks uint64) (w *hostileWalk) {
	t.Helper()
	Run(t, awsdouble.Options{CreateDuration: 2 * time.Second, UpdateDuration: time.Second}, func(_ *testing.T, s *Simulation) {
		w = newHostileWalk(s, group, attacks)
		w.run()
		if s.Failed() {
			s.Logf("steps:\n%s\ncalls:\n%s", strings.Join(w.steps, "\n"), s.history())
		}
	})
	return w
}

// compare compares how long the attacked tenant's resources take to be Ready with how long they take without attacks.
func (w *hostileWalk) compare(t *testing.T, alone *hostileWalk) {
	t.Helper()
	for at, took := range w.took {
		// Times of conditions are whole seconds.
		if base, ok := alone.took[at]; ok && !w.lost[at.name] && took > 2*base+2*time.Second {
			t.Errorf("%s is Ready after %v, without attacks after %v; steps:\n%s\ncalls:\n%s", at, took, base, strings.Join(w.steps, "\n"), w.history())
		}
	}
}

// A creation is a resource that the attacked tenant creates in a step.
type creation struct {
	step       int
	kind, name string
}

// hostileWalk is a walk of two tenants that use the same account with credentials of their own.
type hostileWalk struct {
	*Simulation

	// group is that of the walk. random draws its steps, and attack the attacks on it. It is nil if there are none.
	group          uint64
	random, attack *rand.Rand

	provider *Provider
	watches  *watchfault.Faults
	frozen   bool // frozen is whether the watch of Functions stands still.

	// mine are the attacked tenant's resources. made are the last creations of those of them that exist and whose time
	// is measured. theirs are those that the attacker has created.
	mine   []*unstructured.Unstructured
	made   map[int]creation
	theirs []*unstructured.Unstructured

	// took is how long a resource took to be Ready. lost are the names that the attacker got first.
	took map[creation]time.Duration
	lost map[string]bool

	steps   []string
	attacks int

	mu       sync.Mutex
	versions map[string]string // versions are the tenants that have published versions of layers.
}

// keyOf is the access key of a tenant.
func keyOf(namespace string) string { return "AKIA" + strings.ToUpper(namespace) }

func newHostileWalk(s *Simulation, group, attacks uint64) *hostileWalk {
	s.Helper()
	w := &hostileWalk{
		Simulation: s, group: group, random: rand.New(rand.NewPCG(group, 1)), //nolint:gosec // It is reproducible by its seed.
		mine: attackedResources(), made: map[int]creation{}, took: map[creation]time.Duration{}, lost: map[string]bool{}, versions: map[string]string{},
		watches: &watchfault.Faults{},
	}
	if attacks > 0 {
		w.attack = rand.New(rand.NewPCG(attacks, 2)) //nolint:gosec,mnd // As above.
	}
	s.Prepare()
	s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}})
	for _, namespace := range []string{Namespace, hostile} {
		s.Double.AddAccessKey(keyOf(namespace), awsdouble.DefaultAccount)
		pc := &v1beta1.ClusterProviderConfig{}
		if err := s.Kube.Get(s.Context(), client.ObjectKey{Name: Config}, pc); err != nil {
			s.Fatal(err)
		}
		pc.ObjectMeta = metav1.ObjectMeta{Name: namespace}
		pc.Spec.Credentials = v1beta1.ClusterProviderCredentials{
			Source:    v1beta1.CredentialsSourceSecret,
			SecretRef: &v1beta1.CredentialsSecretSelector{Namespace: metav1.NamespaceSystem, LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: namespace}},
		}
		s.Create(pc, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: namespace},
			Data:       map[string][]byte{"aws_access_key_id": []byte(keyOf(namespace)), "aws_secret_access_key": []byte(Canary)},
		})
	}
	s.inspect = w.inspectCall
	check := s.Cluster.StatusWritten
	s.Cluster.StatusWritten = func(u *unstructured.Unstructured) {
		if u.GetNamespace() != hostile { // The attacker's resources change while their status is written.
			check(u)
		}
	}
	w.provider = w.start()
	return w
}

func (w *hostileWalk) start() *Provider {
	w.Helper()
	return w.Start(&Network{Wrap: w.watches.Wrap})
}

// of returns a resource of a tenant, with a word that nobody else may see.
func of(namespace, kind, name string, fields map[string]any, policies ...any) *unstructured.Unstructured {
	u := tenantResource(kind, namespace, name, fields, policies...)
	_ = unstructured.SetNestedMap(u.Object, map[string]any{"kind": v1beta1.ClusterProviderConfigKind, "name": namespace}, "spec", "providerConfigRef")
	return u
}

// attackedResources returns the resources of the tenant that is attacked.
func attackedResources() []*unstructured.Unstructured {
	mark := markOf + Namespace
	function := func() map[string]any {
		return functionFields(map[string]any{"publish": true, "description": mark, "environment": map[string]any{"variables": map[string]any{"SECRET": Canary, mark: "x"}}})
	}
	return []*unstructured.Unstructured{
		of(Namespace, "Function", "checkout", function()),
		of(Namespace, "Function", "cart", function()),
		of(Namespace, "LayerVersion", "lib", map[string]any{"description": mark, "compatibleRuntimes": []any{"python3.13"}, "content": map[string]any{"s3Bucket": "code", "s3Key": "one.zip"}}),
		of(Namespace, "CapacityProvider", "pool", map[string]any{"permissionsConfig": map[string]any{"capacityProviderOperatorRoleArn": "arn:aws:iam::123456789012:role/operator"}, "vpcConfig": map[string]any{"subnetIds": []any{"subnet-0123456789abcdef0"}, "securityGroupIds": []any{"sg-0123456789abcdef0"}}}),
		of(Namespace, "CodeSigningConfig", "signed", map[string]any{"description": mark, "allowedPublishers": map[string]any{"signingProfileVersionArns": []any{"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/0123456789"}}}),
		of(Namespace, "Alias", "live", map[string]any{"functionName": "checkout", "functionVersion": "$LATEST", "description": mark}),
		of(Namespace, "Permission", "allow", map[string]any{"functionName": "checkout", "action": "lambda:InvokeFunction", "principal": "s3.amazonaws.com"}),
		of(Namespace, "FunctionURL", "url", map[string]any{"functionName": "checkout", "authType": "AWS_IAM"}),
		of(Namespace, "FunctionEventInvokeConfig", "retries", map[string]any{"functionName": "cart", "maximumRetryAttempts": int64(1)}),
		of(Namespace, "EventSourceMapping", "orders", map[string]any{"functionName": "checkout", "eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:orders"}),
	}
}

// independent reports whether a resource needs no other one.
func independent(u *unstructured.Unstructured) bool {
	return slices.Contains([]string{"Function", "LayerVersion", "CapacityProvider", "CodeSigningConfig"}, u.GetKind())
}

// run runs the walk, ends the attacks, and checks that the attacked tenant has all that it asks for.
func (w *hostileWalk) run() {
	w.Helper()
	for step := range *figures.HostileSteps {
		w.act(step, w.random.IntN(20), w.random.IntN(1<<16)) //nolint:mnd // Any number.
		between := time.Duration(pause(w.random)) * time.Second / attacksOfStep
		for range attacksOfStep {
			if w.attack != nil {
				w.attackOnce(w.attack)
			}
			time.Sleep(between)
		}
		w.measure()
	}
	w.endAttacks()
	for i := range w.mine {
		w.create(*figures.HostileSteps, i)
	}
	all := func() bool {
		return !slices.ContainsFunc(w.mine, func(u *unstructured.Unstructured) bool {
			return conditionOf(w.stored(u), "Ready")["status"] != "True"
		})
	}
	if !w.Until(2*time.Hour, all) {
		for _, u := range w.mine {
			w.Errorf("%s %s has Ready %v", u.GetKind(), u.GetName(), conditionOf(w.stored(u), "Synced"))
		}
	}
	w.measure()
	w.checkSeen()
	if err := w.provider.Stop(); err != nil {
		w.Error(err)
	}
}

// endAttacks lets the attacker delete everything, and gives this and other deletions an hour.
func (w *hostileWalk) endAttacks() {
	w.Helper()
	w.watches.Thaw("functions", watchfault.All)
	for _, u := range w.theirs {
		patch := `{"metadata":{"annotations":{"crossplane.io/paused":null,"lambda.aws.m.crossplane.io/plan":null}}}`
		if !observes(u) {
			patch = strings.TrimSuffix(patch, "}") + `,"spec":{"managementPolicies":["*"]}}`
		}
		_ = w.Kube.Patch(w.Context(), u.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), u.DeepCopy()))
	}
	w.Until(time.Hour, func() bool {
		return !slices.ContainsFunc(slices.Concat(w.theirs, w.mine), func(u *unstructured.Unstructured) bool {
			now := w.Cluster.Object(u.GroupVersionKind(), client.ObjectKeyFromObject(u))
			return now != nil && now.GetDeletionTimestamp() != nil
		})
	})
	for _, name := range []string{"checkout", "cart"} { // What the attacker got first and left.
		if f, ok := w.Double.Function(name); ok && f.Tags["crossplane-namespace"] == hostile {
			_, _ = w.Lambda.DeleteFunction(w.Context(), &lambda.DeleteFunctionInput{FunctionName: aws.String(name)})
		}
	}
}

// act takes a step of everyone but the attacker.
func (w *hostileWalk) act(step, what, choice int) {
	w.Helper()
	i := choice % len(w.mine)
	switch {
	case what < 12: //nolint:mnd // Most steps.
		w.create(step, i)
	case what < 16: //nolint:mnd // One in five.
		w.notef("delete %s %s", w.mine[i].GetKind(), w.mine[i].GetName())
		delete(w.made, i)
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), w.mine[i].DeepCopy()))
	case what < 17: //nolint:mnd // One in twenty, as those below.
		w.notef("kill")
		w.measure()
		clear(w.made) // How long they take depends on the call at which the process ended.
		w.provider.Kill()
		w.provider = w.start()
	case what < 18: //nolint:mnd // As above.
		w.notef("restart")
		w.measure()
		clear(w.made)
		_ = w.provider.Stop()
		w.provider = w.start()
	case what < 19: //nolint:mnd // As above.
		w.notef("freeze the watch of Functions")
		w.measure()
		clear(w.made) // How long they take depends on whether the watch still shows them.
		w.frozen = true
		w.watches.Freeze("functions")
	default:
		w.notef("thaw the watch of Functions")
		w.frozen = false
		w.watches.Thaw("functions", watchfault.All)
	}
}

func (w *hostileWalk) notef(format string, args ...any) {
	w.steps = append(w.steps, time.Now().Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
}

// create creates a resource of the attacked tenant, unless it exists.
func (w *hostileWalk) create(step, i int) {
	w.Helper()
	u := w.mine[i].DeepCopy()
	if w.Kube.Create(w.Context(), u) == nil {
		w.notef("create %s %s", u.GetKind(), u.GetName())
		if w.frozen || w.claimed(u) {
			return
		}
		w.made[i] = creation{step: step, kind: u.GetKind(), name: u.GetName()}
	}
}

// claimed reports whether the attacker was the first to create a resource of a kind and name that may create in AWS.
func (w *hostileWalk) claimed(u *unstructured.Unstructured) bool {
	w.Helper()
	return slices.ContainsFunc(w.theirs, func(other *unstructured.Unstructured) bool {
		now := other.DeepCopy()
		return other.GetKind() == u.GetKind() && other.GetName() == u.GetName() && !w.gone(now) && !observes(now)
	})
}

// measure records how long resources took to be Ready that need no other one.
func (w *hostileWalk) measure() {
	w.Helper()
	for i, at := range w.made {
		u := w.stored(w.mine[i].DeepCopy())
		ready := conditionOf(u, "Ready")
		if _, known := w.took[at]; known || ready["status"] != "True" || !independent(u) {
			continue
		}
		since, err := time.Parse(time.RFC3339, fmt.Sprint(ready["lastTransitionTime"]))
		if err != nil {
			w.Fatal(err)
		}
		w.took[at] = since.Sub(u.GetCreationTimestamp().Time)
	}
}

// attackOnce makes one random attack.
func (w *hostileWalk) attackOnce(r *rand.Rand) {
	w.Helper()
	w.attacks++
	if len(w.theirs) > 0 && r.IntN(3) > 0 { //nolint:mnd // Two of three change what exists.
		w.disturb(r, w.theirs[r.IntN(len(w.theirs))].DeepCopy())
		return
	}
	u := w.randomAttack(r)
	if r.IntN(4) == 0 { //nolint:mnd // One in four.
		u.SetAnnotations(w.forged(r))
	}
	if w.Kube.Create(w.Context(), u) != nil {
		return // The API server does not admit it, or it exists.
	}
	w.notef("  attack by %s %s: %v %v", u.GetKind(), u.GetName(), u.Object["spec"], u.GetAnnotations())
	w.theirs = append(w.theirs, u)
}

// disturb changes an attacker's resource.
func (w *hostileWalk) disturb(r *rand.Rand, u *unstructured.Unstructured) {
	patch := map[string]any{}
	switch r.IntN(8) { //nolint:mnd // As many as there are.
	case 0:
		w.notef("  delete %s %s", u.GetKind(), u.GetName())
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), u))
		return
	case 1:
		again := u.DeepCopy()
		again.SetResourceVersion("")
		again.SetUID("")
		_ = w.Kube.Create(w.Context(), again)
		return
	case 2, 3: //nolint:mnd // Twice as often.
		annotations := map[string]any{}
		for k, v := range w.forged(r) {
			annotations[k] = v
		}
		patch["metadata"] = map[string]any{"annotations": annotations}
	default:
		if observes(u) {
			return // The API server does not admit it without what creation needs.
		}
		policies := [][]any{{"*"}, {"Observe", "Create", "Update", "Delete"}, {"Observe", "Create"}}
		patch["spec"] = map[string]any{"managementPolicies": policies[r.IntN(len(policies))]}
	}
	b, err := json.Marshal(patch)
	if err != nil {
		w.Fatal(err)
	}
	w.notef("  change %s %s: %s", u.GetKind(), u.GetName(), b)
	_ = w.Kube.Patch(w.Context(), u, client.RawPatch(types.MergePatchType, b))
}

// observes reports whether a resource was created to observe only.
func observes(u *unstructured.Unstructured) bool {
	policies, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "managementPolicies")
	return slices.Equal(policies, []string{"Observe"})
}

// pick returns one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// functionSpelling returns a spelling of a function of the attacked tenant.
func functionSpelling(r *rand.Rand) string {
	name := pick(r, "checkout", "checkout", "cart", "Checkout")
	arn := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":function:" + name
	return pick(r, name, name, name, arn, arn+":$LATEST", arn+":live", "function:"+name, awsdouble.DefaultAccount+":"+name, awsdouble.DefaultAccount+":function:"+name, name+":live", "https://lambda/"+name)
}

// ownedName returns a name, ARN or UUID that AWS has given to something of the attacked tenant, or will give it.
func (w *hostileWalk) ownedName(r *rand.Rand) string {
	prefix := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":"
	names := []string{functionSpelling(r), fmt.Sprintf("%slayer:lib:%d", prefix, r.IntN(4)), prefix + "capacity-provider:pool", "pool", "live", "checkout:live", "allow", "checkout/allow"} //nolint:mnd // The first versions.
	for _, t := range w.Double.Resources(awsdouble.DefaultAccount, Region) {
		if t.Kind == "EventSourceMapping" || t.Kind == "CodeSigningConfig" {
			names = append(names, t.ID)
		}
	}
	return pick(r, names...)
}

// forged returns annotations that claim something.
func (w *hostileWalk) forged(r *rand.Rand) map[string]string {
	all := map[string]string{
		"crossplane.io/external-name":                         w.ownedName(r),
		"crossplane.io/external-create-pending":               time.Now().Format(time.RFC3339),
		"crossplane.io/external-create-succeeded":             time.Now().Format(time.RFC3339),
		"crossplane.io/paused":                                pick(r, "true", "false"),
		"lambda.aws.m.crossplane.io/adopt":                    "true",
		"lambda.aws.m.crossplane.io/plan":                     pick(r, "true", "false"),
		"lambda.aws.m.crossplane.io/parent":                   functionSpelling(r),
		"lambda.aws.m.crossplane.io/external-name-written-by": "uid/" + w.ownedName(r),
		"lambda.aws.m.crossplane.io/allowed-namespaces":       "*",
	}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if r.IntN(3) > 0 { //nolint:mnd // A third of them.
			delete(all, k)
		}
	}
	return all
}

// randomAttack returns a random resource of the attacker that names something of the attacked tenant.
func (w *hostileWalk) randomAttack(r *rand.Rand) *unstructured.Unstructured {
	mark := markOf + hostile
	name := pick(r, "checkout", "cart", "lib", "pool", fmt.Sprint("x", r.IntN(20))) //nolint:mnd // A few.
	ref := map[string]any{"name": pick(r, "checkout", "cart", "lib", "pool", "live"), "namespace": Namespace}
	function := func(field string, value any) map[string]any {
		return functionFields(map[string]any{"description": mark, field: value})
	}
	on := func(fields map[string]any) map[string]any {
		fields["functionName"] = functionSpelling(r)
		if r.IntN(8) == 0 { //nolint:mnd // Seldom: it is refused by a rule of its own.
			delete(fields, "functionName")
			fields["functionNameRef"] = ref
		}
		if r.IntN(8) == 0 { //nolint:mnd // As above.
			fields["qualifier"] = pick(r, "live", "1", "$LATEST")
		}
		return fields
	}
	prefix := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":"
	version := fmt.Sprintf("%slayer:lib:%d", prefix, 1+r.IntN(4)) //nolint:mnd // The first versions.
	instances := map[string]any{"lambdaManagedInstancesCapacityProviderConfig": map[string]any{"capacityProviderArn": prefix + "capacity-provider:pool"}}
	kinds := []*unstructured.Unstructured{
		of(hostile, "Function", name, function("layers", []any{version})),
		of(hostile, "Function", name, function("layerRefs", []any{ref})),
		of(hostile, "Function", name, function("capacityProviderConfig", instances)),
		of(hostile, "Function", name, function("codeSigningConfigArn", w.ownedName(r))),
		of(hostile, "Function", name, map[string]any{}, "Observe"),
		of(hostile, "LayerVersion", name, map[string]any{}, "Observe"),
		of(hostile, "CapacityProvider", name, map[string]any{}, "Observe"),
		of(hostile, "CodeSigningConfig", name, map[string]any{}, "Observe"),
		of(hostile, "EventSourceMapping", name, map[string]any{}, "Observe"),
		of(hostile, "Alias", name, on(map[string]any{"functionVersion": pick(r, "1", "$LATEST"), "description": mark})),
		of(hostile, "Permission", name, on(map[string]any{"action": "lambda:InvokeFunction", "principal": "111122223333"})),
		of(hostile, "FunctionURL", name, on(map[string]any{"authType": "NONE"})),
		of(hostile, "Version", name, on(map[string]any{"description": mark})),
		of(hostile, "Invocation", name, on(map[string]any{"payload": "{}"})),
		of(hostile, "EventSourceMapping", name, on(map[string]any{"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:" + pick(r, "mine", "orders")})),
		of(hostile, "FunctionEventInvokeConfig", name, on(map[string]any{"maximumRetryAttempts": int64(0)})),
		of(hostile, "FunctionEventInvokeConfig", name, map[string]any{"functionName": "base", "destinationConfig": map[string]any{"onSuccess": map[string]any{"destination": functionSpelling(r)}}}),
		of(hostile, "ProvisionedConcurrencyConfig", name, on(map[string]any{"provisionedConcurrentExecutions": int64(1)})),
		of(hostile, "RuntimeManagementConfig", name, on(map[string]any{"updateRuntimeOn": "FunctionUpdate"})),
		of(hostile, "ResourcePolicy", name, map[string]any{"resourceArn": functionSpelling(r), "policy": `{"Version":"2012-10-17","Statement":[]}`}),
		of(hostile, "LayerVersionPermission", name, map[string]any{"layerVersionArn": version, "action": "lambda:GetLayerVersion", "principal": "*"}),
		of(hostile, "LayerVersionPermission", name, map[string]any{"layerName": "lib", "versionNumber": int64(1 + r.IntN(4)), "action": "lambda:GetLayerVersion", "principal": "*"}), //nolint:mnd // As above.
	}
	return pick(r, kinds...)
}

var (
	signedBy     = regexp.MustCompile(`Credential=([A-Z0-9]+)/`)
	functionPath = regexp.MustCompile(`/functions/([^/]+)`)
	layerPath    = regexp.MustCompile(`/layers/([^/]+)/versions(/[0-9]+)?`)
	mappingPath  = regexp.MustCompile(`/event-source-mappings/([^/]+)`)
	poolPath     = regexp.MustCompile(`/capacity-providers/([^/]+)`)
	signedARN    = regexp.MustCompile(`arn:aws:lambda:[^"/]+:code-signing-config:[^"/]+`)
	poolARN      = regexp.MustCompile(`arn:aws:lambda:[^"]+:capacity-provider:([^"]+)`)
	functionARN  = regexp.MustCompile(`arn:aws:lambda:[^"]+:function:([^":]+)`)
)

// inspectCall passes a call to AWS. It fails the test if AWS accepts a change of what another tenant owns at that
// instant.
func (w *hostileWalk) inspectCall(rw http.ResponseWriter, r *http.Request) {
	key := signedBy.FindStringSubmatch(r.Header.Get("Authorization"))
	if r.Method == http.MethodGet || r.Method == http.MethodHead || len(key) == 0 || !strings.HasPrefix(key[1], "AKIA") {
		w.Double.ServeHTTP(rw, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	by := strings.ToLower(strings.TrimPrefix(key[1], "AKIA"))
	owners := w.ownersOf(r.URL, body)
	answer := httptest.NewRecorder()
	w.Double.ServeHTTP(answer, r)
	if answer.Code < http.StatusMultipleChoices {
		for what, owner := range owners {
			if owner != "" && owner != by && (owner == Namespace || owner == hostile) {
				w.Errorf("%s: %s %s of %s, with the credentials of %s: %.200s", what, r.Method, r.URL.Path, owner, by, body)
			}
		}
		w.noteCall(r, by, body, answer.Body.Bytes())
	}
	maps.Copy(rw.Header(), answer.Header())
	rw.WriteHeader(answer.Code)
	_, _ = rw.Write(answer.Body.Bytes())
}

// noteCall records which tenant has published a version of a layer, and which names the attacker has got first.
func (w *hostileWalk) noteCall(r *http.Request, by string, body, answer []byte) {
	var in, out struct {
		FunctionName, CapacityProviderName string
		Version                            json.Number
	}
	_, _ = json.Unmarshal(body, &in), json.Unmarshal(answer, &out)
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := layerPath.FindStringSubmatch(r.URL.Path); len(m) > 0 && m[2] == "" {
		w.versions[m[1]+"/"+out.Version.String()] = by
	}
	if by == hostile && r.Method == http.MethodPost {
		for _, name := range []string{in.FunctionName, in.CapacityProviderName} {
			w.lost[name] = true
		}
	}
}

// ownersOf returns which tenants own what a call names, by the tags in AWS.
func (w *hostileWalk) ownersOf(u *url.URL, body []byte) map[string]string {
	path, err := url.PathUnescape(u.EscapedPath())
	if err != nil {
		w.Error(err)
	}
	owners := map[string]string{}
	function := func(reference string) {
		for name := range strings.SplitSeq(reference, ":") {
			if f, ok := w.Double.Function(name); ok && name != "" {
				owners["function "+name] = f.Tags["crossplane-namespace"]
			}
		}
	}
	var in struct {
		FunctionName string
		Layers       []string
	}
	_ = json.Unmarshal(body, &in)
	function(in.FunctionName)
	for _, m := range functionARN.FindAllStringSubmatch(string(body), -1) {
		function(m[1])
	}
	for _, arn := range signedARN.FindAllString(path+string(body), -1) {
		for _, r := range w.Double.Resources(awsdouble.DefaultAccount, Region) {
			if r.ID == arn {
				owners["code signing configuration "+arn] = r.Namespace
			}
		}
	}
	if m := functionPath.FindStringSubmatch(path); len(m) > 0 {
		function(m[1])
	} else if _, arn, ok := strings.Cut(path, "function:"); ok {
		function(arn)
	}
	if m := mappingPath.FindStringSubmatch(path); len(m) > 0 {
		mapping, _ := w.Double.Mapping(m[1])
		owners["mapping "+m[1]] = mapping.Tags["crossplane-namespace"]
	}
	for _, m := range append(poolPath.FindAllStringSubmatch(path, -1), poolARN.FindAllStringSubmatch(string(body), -1)...) {
		pool, _ := w.Double.CapacityProvider(Region, m[1])
		owners["capacity provider "+m[1]] = pool.Tags["crossplane-namespace"]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := layerPath.FindStringSubmatch(path); len(m) > 0 && m[2] != "" {
		owners["layer "+m[1]] = w.versions[m[1]+m[2]]
	}
	for _, layer := range in.Layers {
		if _, version, ok := strings.Cut(layer, ":layer:"); ok {
			owners["layer "+version] = w.versions[strings.ReplaceAll(version, ":", "/")]
		}
	}
	return owners
}

// checkSeen checks that nothing of a tenant is in what the provider has written about the other's resources.
func (w *hostileWalk) checkSeen() {
	w.Helper()
	for _, o := range w.Cluster.Objects() {
		other := map[string]string{Namespace: hostile, hostile: Namespace}[o.GetNamespace()]
		if b := written(o); other != "" && bytes.Contains(b, []byte(markOf+other)) {
			w.Errorf("%s %s/%s has something of %s: %s", o.GetKind(), o.GetNamespace(), o.GetName(), other, b)
		}
	}
}

// String returns the creation's kind, name and step.
func (c creation) String() string { return fmt.Sprintf("%s %s of step %d", c.kind, c.name, c.step) }
