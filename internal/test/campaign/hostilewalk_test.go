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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/watchfault"
)

const (
	// attacksOfStep is how many attacks there are for each step of everyone else.
	attacksOfStep = 4

	// walksOfGroup is how many walks have the same steps of everyone but the attacker, so that they are compared with
	// the same walk without attacks.
	walksOfGroup = 4

	// groupsOfDelay are groups of walks, in which AWS shows tags later and later by delayOfTags, and in the last one at
	// once.
	groupsOfDelay = 4
	delayOfTags   = 3 * time.Second

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
			if !w.forges {
				w.compare(t, alone)
			}
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
	Run(
		t,
		awsdouble.Options{
			CreateDuration: 2 * time.Second, UpdateDuration: time.Second,
			Consistency: awsdouble.Consistency{Tags: time.Duration((group+1)%groupsOfDelay) * delayOfTags},
		},
		func(_ *testing.T, s *Simulation) {
			w = newHostileWalk(s, group, attacks)
			w.run()
			if s.Failed() {
				s.Logf("steps:\n%s\ncalls:\n%s", strings.Join(w.steps, "\n"), s.history())
			}
		},
	)
	return w
}

// compare compares how long the attacked tenant's resources take to be Ready with how long they take without attacks.
func (w *hostileWalk) compare(t *testing.T, alone *hostileWalk) {
	t.Helper()
	for at, took := range w.took {
		// Times of conditions are whole seconds.
		if base, ok := alone.took[at]; ok && !w.lost[at.name] && took > 2*base+2*time.Second {
			t.Errorf(
				"%s is Ready after %v, without attacks after %v; steps:\n%s\ncalls:\n%s",
				at,
				took,
				base,
				strings.Join(w.steps, "\n"),
				w.history(),
			)
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

	// forges is whether the attacker may write status. That may prevent the attacked tenant from acting, and no more.
	forges bool

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
		Simulation: s,
		group:      group,
		random:     rand.New(rand.NewPCG(group, 1)), //nolint:gosec // It is reproducible by its seed.
		mine:       attackedResources(),
		made:       map[int]creation{},
		took:       map[creation]time.Duration{},
		lost:       map[string]bool{},
		versions:   map[string]string{},
		watches:    &watchfault.Faults{},
	}
	if attacks > 0 {
		w.forges = attacks%walksOfGroup == 0
		w.attack = rand.New(rand.NewPCG(attacks, 2)) //nolint:gosec,mnd // As above.
	}
	s.Prepare()
	for _, namespace := range []string{Namespace, hostile} {
		s.Double.AddAccessKey(keyOf(namespace), awsdouble.DefaultAccount)
		s.Create(w.config(namespace), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: namespace},
			Data: map[string][]byte{
				"aws_access_key_id":     []byte(keyOf(namespace)),
				"aws_secret_access_key": []byte(Canary),
			},
		})
	}
	w.prepareAttacks()
	s.inspect = w.inspectCall
	check := s.Cluster.StatusWritten
	s.Cluster.StatusWritten = func(u *unstructured.Unstructured) {
		if u.GetNamespace() != hostile { // The attacker's resources change while their status is written.
			check(u)
		}
		w.checkSeen(u)
	}
	w.provider = w.start()
	return w
}

// config returns a ClusterProviderConfig with the credentials of a tenant.
func (w *hostileWalk) config(namespace string) *v1beta1.ClusterProviderConfig {
	w.Helper()
	pc := &v1beta1.ClusterProviderConfig{}
	if err := w.Kube.Get(w.Context(), client.ObjectKey{Name: Config}, pc); err != nil {
		w.Fatal(err)
	}
	pc.ObjectMeta = metav1.ObjectMeta{Name: namespace}
	pc.Spec.Credentials = v1beta1.ClusterProviderCredentials{
		Source: v1beta1.CredentialsSourceSecret,
		SecretRef: &v1beta1.CredentialsSecretSelector{
			Namespace:                      metav1.NamespaceSystem,
			LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: namespace},
		},
	}
	return pc
}

func (w *hostileWalk) start() *Provider {
	w.Helper()
	return w.Start(&Network{Wrap: w.watches.Wrap})
}

// of returns a resource of a tenant, with a word that nobody else may see.
func of(namespace, kind, name string, fields map[string]any, policies ...any) *unstructured.Unstructured {
	u := tenantResource(kind, namespace, name, fields, policies...)
	_ = unstructured.SetNestedMap(
		u.Object,
		map[string]any{"kind": v1beta1.ClusterProviderConfigKind, "name": namespace},
		"spec",
		"providerConfigRef",
	)
	return u
}

// capacityFields returns the fields of a CapacityProvider with a role.
func capacityFields(role string) map[string]any {
	return map[string]any{
		"permissionsConfig": map[string]any{
			"capacityProviderOperatorRoleArn": "arn:aws:iam::123456789012:role/" + role,
		},
		"vpcConfig": map[string]any{
			"subnetIds":        []any{"subnet-0123456789abcdef0"},
			"securityGroupIds": []any{"sg-0123456789abcdef0"},
		},
	}
}

// signingFields returns the fields of a CodeSigningConfig with a description.
func signingFields(description string) map[string]any {
	return map[string]any{
		"description": description,
		"allowedPublishers": map[string]any{
			"signingProfileVersionArns": []any{
				"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/0123456789",
			},
		},
	}
}

// attackedResources returns the resources of the tenant that is attacked: one or more of each kind.
func attackedResources() []*unstructured.Unstructured {
	mark := markOf + Namespace
	function := func() map[string]any {
		return functionFields(
			map[string]any{
				"publish":     true,
				"description": mark,
				"environment": map[string]any{"variables": map[string]any{"SECRET": Canary, mark: "x"}},
			},
		)
	}
	named := func(name string) map[string]any { return map[string]any{"name": name} }
	all := []*unstructured.Unstructured{
		of(Namespace, "Function", "checkout", function()),
		of(Namespace, "Function", "cart", function()),
		of(
			Namespace,
			"LayerVersion",
			"lib",
			map[string]any{
				"description":        mark,
				"compatibleRuntimes": []any{"python3.13"},
				"content":            map[string]any{"s3Bucket": "code", "s3Key": "one.zip"},
			},
		),
		of(Namespace, "CapacityProvider", "pool", capacityFields("operator")),
		of(Namespace, "CodeSigningConfig", "signed", signingFields(mark)),
		of(
			Namespace,
			"Alias",
			"live",
			map[string]any{"functionName": "checkout", "functionVersion": "$LATEST", "description": mark},
		),
		of(Namespace, "Alias", "stable", map[string]any{"functionNameRef": named("cart"), "description": mark}),
		of(Namespace, "Version", "first", map[string]any{"functionName": "checkout", "description": mark}),
		of(
			Namespace,
			"Permission",
			"allow",
			map[string]any{
				"functionName": "checkout",
				"action":       "lambda:InvokeFunction",
				"principal":    "s3.amazonaws.com",
			},
		),
		of(
			Namespace,
			"ResourcePolicy",
			"policy",
			map[string]any{
				"resourceArnRef": named("cart"),
				"policy":         `{"Version": "2012-10-17", "Statement": [{"Sid": "` + mark + `", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "lambda:InvokeFunction", "Resource": "arn:aws:lambda:eu-central-1:123456789012:function:cart"}]}`,
			},
		),
		of(Namespace, "FunctionURL", "url", map[string]any{"functionName": "checkout", "authType": "AWS_IAM"}),
		of(
			Namespace,
			"FunctionEventInvokeConfig",
			"retries",
			map[string]any{"functionName": "cart", "maximumRetryAttempts": int64(1)},
		),
		of(
			Namespace,
			"ProvisionedConcurrencyConfig",
			"warm",
			map[string]any{
				"functionName":                    "cart",
				"qualifierRef":                    named("stable"),
				"provisionedConcurrentExecutions": int64(1),
			},
		),
		of(
			Namespace,
			"RuntimeManagementConfig",
			"runtime",
			map[string]any{"functionName": "checkout", "updateRuntimeOn": "FunctionUpdate"},
		),
		of(
			Namespace,
			"EventSourceMapping",
			"orders",
			map[string]any{
				"functionName":   "checkout",
				"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:orders",
			},
		),
		of(
			Namespace,
			"Invocation",
			"migrate",
			map[string]any{"functionName": "cart", "payload": `{"` + mark + `": 1}`},
		),
		of(
			Namespace,
			"LayerVersionPermission",
			"shared",
			map[string]any{
				"layerVersionArnRef": named("lib"),
				"action":             "lambda:GetLayerVersion",
				"principal":          "210987654321",
			},
		),
	}
	for _, u := range all {
		u.SetLabels(map[string]string{"team": Namespace})
	}
	return all
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
	if !w.Until(2*time.Hour, all) && !w.forges {
		for _, u := range w.mine {
			w.Errorf("%s %s has Ready %v", u.GetKind(), u.GetName(), conditionOf(w.stored(u), "Synced"))
		}
	}
	w.measure()
	w.checkAllSeen()
	if err := w.provider.Stop(); err != nil {
		w.Error(err)
	}
}

// endAttacks lets the attacker delete everything, and gives this and other deletions an hour.
func (w *hostileWalk) endAttacks() {
	w.Helper()
	w.watches.Thaw("functions", watchfault.All)
	w.prepareAttacks()
	w.useKey(hostile)
	for _, u := range w.theirs {
		// A resource whose external name has been changed keeps what it has created.
		w.change(
			u,
			map[string]any{
				"metadata": map[string]any{
					"annotations": map[string]any{
						"crossplane.io/paused":        nil,
						"crossplane.io/external-name": nil,
						v1beta1.AnnotationPlan:        nil,
					},
				},
			},
		)
		// With its namespace, the Secret of its config is gone.
		spec := map[string]any{
			"providerConfigRef": map[string]any{"kind": v1beta1.ClusterProviderConfigKind, "name": hostile},
		}
		if !observes(u) {
			spec["managementPolicies"] = []any{"*"}
		}
		w.change(u, map[string]any{"spec": spec})
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), u.DeepCopy()))
	}
	w.Until(time.Hour, func() bool {
		return !slices.ContainsFunc(slices.Concat(w.theirs, w.mine), func(u *unstructured.Unstructured) bool {
			now := w.Cluster.Object(u.GroupVersionKind(), client.ObjectKeyFromObject(u))
			return now != nil && now.GetDeletionTimestamp() != nil
		})
	})
	for _, r := range w.Double.Resources(awsdouble.DefaultAccount, Region) { // What the attacker got first and left.
		if r.Namespace != hostile {
			continue
		}
		switch r.Kind {
		case "Function":
			_, _ = w.Lambda.DeleteFunction(w.Context(), &lambda.DeleteFunctionInput{FunctionName: aws.String(r.ID)})
		case "CapacityProvider":
			_, _ = w.Lambda.DeleteCapacityProvider(
				w.Context(),
				&lambda.DeleteCapacityProviderInput{CapacityProviderName: aws.String(r.ID)},
			)
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
	if r.Method == http.MethodGet || r.Method == http.MethodHead || len(key) == 0 ||
		key[1] != keyOf(Namespace) && key[1] != keyOf(hostile) {
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
				w.Errorf(
					"%s: %s %s of %s, with the credentials of %s: %.200s",
					what,
					r.Method,
					r.URL.Path,
					owner,
					by,
					body,
				)
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
			arn := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":function:" + name
			if f, ok := w.Double.Function(arn); ok {
				owners["function "+name] = w.ownerOf(v1beta1.FunctionGroupVersionKind, f.Tags)
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
		owners["mapping "+m[1]] = w.ownerOf(v1beta1.EventSourceMappingGroupVersionKind, mapping.Tags)
	}
	for _, m := range append(
		poolPath.FindAllStringSubmatch(path, -1), poolARN.FindAllStringSubmatch(string(body), -1)...,
	) {
		pool, _ := w.Double.CapacityProvider(Region, m[1])
		owners["capacity provider "+m[1]] = w.ownerOf(v1beta1.CapacityProviderGroupVersionKind, pool.Tags)
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

// ownerOf returns the tenant whose resource of a kind tags in AWS name, if that exists and does not only observe. The
// attacker's resources may name something else since, and are owners only of what has their UID.
func (w *hostileWalk) ownerOf(kind schema.GroupVersionKind, tags map[string]string) string {
	namespace := tags["crossplane-namespace"]
	owner := w.Cluster.Object(kind, client.ObjectKey{Namespace: namespace, Name: tags["crossplane-name"]})
	if owner == nil || observes(owner) || namespace == hostile && string(owner.GetUID()) != tags["crossplane-uid"] {
		return ""
	}
	return namespace
}

// checkAllSeen checks that nothing of a tenant is in what the provider has written about the other's resources.
func (w *hostileWalk) checkAllSeen() {
	w.Helper()
	for _, o := range w.Cluster.Objects() {
		w.checkSeen(o)
	}
}

// checkSeen checks that nothing of another tenant is in what the provider has written about an object.
func (w *hostileWalk) checkSeen(o *unstructured.Unstructured) {
	w.Helper()
	other := map[string]string{Namespace: hostile, hostile: Namespace}[o.GetNamespace()]
	if b := written(o); other != "" && bytes.Contains(b, []byte(markOf+other)) {
		w.Errorf("%s %s/%s has something of %s: %s", o.GetKind(), o.GetNamespace(), o.GetName(), other, b)
	}
}

// String returns the creation's kind, name and step.
func (c creation) String() string { return fmt.Sprintf("%s %s of step %d", c.kind, c.name, c.step) }
