package campaign

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// policed has what the provider calls for a resource of a kind as far as its managementPolicies allow it.
type policed struct {
	// creates are the calls that create the external resource, adopts those that make an existing one its own, updates
	// those after a change of spec, corrects those after a change by hand, and deletes those that delete it.
	creates, adopts, updates, corrects, deletes []string

	// replaces says that updates and corrects need Create, too.
	replaces bool

	// change changes the external resource by hand. Nil if it cannot be changed.
	change func(c *lambda.Client, name, base string, s *Simulation) error
}

func policedKinds() map[string]policed {
	const partner = "410987654321"
	tag := []string{"TagResource"}
	call := func(operations ...string) []string { return operations }
	first := func(_ any, err error) error { return err }
	put := func(operation, deletes string, change func(*lambda.Client, string, string, *Simulation) error) policed {
		p := call(operation)
		return policed{creates: p, updates: p, corrects: p, deletes: call(deletes), change: change}
	}
	statement := func(layer string, change func(*lambda.Client, string, string, *Simulation) error) policed {
		add, remove := "Add"+layer+"Permission", "Remove"+layer+"Permission"
		replace := call(add, remove, add, remove) // An interim statement allows the same meanwhile.
		return policed{
			creates: call(add), updates: replace, corrects: replace, deletes: call(remove),
			replaces: true, change: change,
		}
	}
	return map[string]policed{
		"Function": {
			creates: call("CreateFunction"), adopts: tag, updates: call("UpdateFunctionCode"),
			corrects: call("UpdateFunctionConfiguration"), deletes: call("DeleteFunction"),
			change: func(c *lambda.Client, name, _ string, s *Simulation) error {
				return first(c.UpdateFunctionConfiguration(s.Context(), &lambda.UpdateFunctionConfigurationInput{
					FunctionName: &name, MemorySize: aws.Int32(512),
				}))
			},
		},
		"Version": {creates: call("PublishVersion"), deletes: call("DeleteFunction")},
		"Alias": {
			creates: call("CreateAlias"), updates: call("UpdateAlias"), corrects: call("UpdateAlias"),
			deletes: call("DeleteAlias"),
			change: func(c *lambda.Client, name, base string, s *Simulation) error {
				return first(c.UpdateAlias(s.Context(), &lambda.UpdateAliasInput{
					FunctionName: &base, Name: &name, FunctionVersion: aws.String("$LATEST"),
				}))
			},
		},
		"Permission": statement("", func(c *lambda.Client, name, base string, s *Simulation) error {
			if _, err := c.RemovePermission(s.Context(), &lambda.RemovePermissionInput{
				FunctionName: &base, StatementId: &name,
			}); err != nil {
				return err
			}
			return first(c.AddPermission(s.Context(), &lambda.AddPermissionInput{
				FunctionName: &base, StatementId: &name, Action: aws.String("lambda:InvokeFunction"),
				Principal: aws.String(partner),
			}))
		}),
		"LayerVersionPermission": statement(
			"LayerVersion",
			func(c *lambda.Client, name, base string, s *Simulation) error {
				sid := name[strings.LastIndex(name, ":")+1:]
				if _, err := c.RemoveLayerVersionPermission(s.Context(), &lambda.RemoveLayerVersionPermissionInput{
					LayerName: &base, VersionNumber: aws.Int64(1), StatementId: &sid,
				}); err != nil {
					return err
				}
				return first(c.AddLayerVersionPermission(s.Context(), &lambda.AddLayerVersionPermissionInput{
					LayerName: &base, VersionNumber: aws.Int64(1), StatementId: &sid,
					Action: aws.String("lambda:GetLayerVersion"), Principal: aws.String(partner),
				}))
			},
		),
		"ResourcePolicy": put("PutResourcePolicy", "DeleteResourcePolicy",
			func(c *lambda.Client, name, _ string, s *Simulation) error {
				return first(c.PutResourcePolicy(s.Context(), &lambda.PutResourcePolicyInput{
					ResourceArn: &name, Policy: aws.String(`{"Version": "2012-10-17", "Statement": [{"Sid": "x", ` +
						`"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::` + partner + `:root"}, ` +
						`"Action": "lambda:InvokeFunction", "Resource": "` + name + `"}]}`),
				}))
			}),
		"FunctionURL": {
			creates: call("CreateFunctionUrlConfig"), updates: call("UpdateFunctionUrlConfig"),
			corrects: call("UpdateFunctionUrlConfig"), deletes: call("DeleteFunctionUrlConfig"),
			change: func(c *lambda.Client, _, base string, s *Simulation) error {
				return first(c.UpdateFunctionUrlConfig(s.Context(), &lambda.UpdateFunctionUrlConfigInput{
					FunctionName: &base, AuthType: types.FunctionUrlAuthTypeNone,
				}))
			},
		},
		"FunctionEventInvokeConfig": put("PutFunctionEventInvokeConfig", "DeleteFunctionEventInvokeConfig",
			func(c *lambda.Client, _, base string, s *Simulation) error {
				return first(c.PutFunctionEventInvokeConfig(s.Context(), &lambda.PutFunctionEventInvokeConfigInput{
					FunctionName: &base, MaximumRetryAttempts: aws.Int32(2),
				}))
			}),
		"ProvisionedConcurrencyConfig": put("PutProvisionedConcurrencyConfig", "DeleteProvisionedConcurrencyConfig",
			func(c *lambda.Client, _, base string, s *Simulation) error {
				return first(
					c.PutProvisionedConcurrencyConfig(s.Context(), &lambda.PutProvisionedConcurrencyConfigInput{
						FunctionName:                    &base,
						Qualifier:                       aws.String("stable"),
						ProvisionedConcurrentExecutions: aws.Int32(7),
					}),
				)
			}),
		"RuntimeManagementConfig": put("PutRuntimeManagementConfig", "PutRuntimeManagementConfig",
			func(c *lambda.Client, _, base string, s *Simulation) error {
				return first(c.PutRuntimeManagementConfig(s.Context(), &lambda.PutRuntimeManagementConfigInput{
					FunctionName: &base, UpdateRuntimeOn: types.UpdateRuntimeOnFunctionUpdate,
				}))
			}),
		"EventSourceMapping": {
			creates: call("CreateEventSourceMapping"), adopts: tag, updates: call("UpdateEventSourceMapping"),
			corrects: call("UpdateEventSourceMapping"), deletes: call("DeleteEventSourceMapping"),
			change: func(c *lambda.Client, name, _ string, s *Simulation) error {
				return first(c.UpdateEventSourceMapping(s.Context(), &lambda.UpdateEventSourceMappingInput{
					UUID: &name, BatchSize: aws.Int32(3),
				}))
			},
		},
		"LayerVersion": {
			creates: call(
				"PublishLayerVersion",
			),
			updates: call("PublishLayerVersion"),
			deletes: call("DeleteLayerVersion"),
		},
		"CodeSigningConfig": {
			creates: call("CreateCodeSigningConfig"), adopts: tag, updates: call("UpdateCodeSigningConfig"),
			corrects: call("UpdateCodeSigningConfig"), deletes: call("DeleteCodeSigningConfig"),
			change: func(c *lambda.Client, name, _ string, s *Simulation) error {
				return first(c.UpdateCodeSigningConfig(s.Context(), &lambda.UpdateCodeSigningConfigInput{
					CodeSigningConfigArn: &name, Description: aws.String("by hand"),
				}))
			},
		},
		"CapacityProvider": {
			creates: call("CreateCapacityProvider"), adopts: tag, updates: call("UpdateCapacityProvider"),
			corrects: call("UpdateCapacityProvider"), deletes: call("DeleteCapacityProvider"),
			change: func(c *lambda.Client, name, _ string, s *Simulation) error {
				return first(c.UpdateCapacityProvider(s.Context(), &lambda.UpdateCapacityProviderInput{
					CapacityProviderName: &name,
					CapacityProviderScalingConfig: &types.CapacityProviderScalingConfig{
						MaxVCpuCount: aws.Int32(30), ScalingMode: types.CapacityProviderScalingModeAuto,
					},
				}))
			},
		},
		"Invocation": {creates: call("Invoke"), updates: call("Invoke")},
	}
}

// onBase returns the kind with a function and a layer of its own in the place of "base".
func (k Kind) onBase(t testing.TB) Kind {
	t.Helper()
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	out, base := Kind{}, k.base()
	text = []byte(strings.NewReplacer(`"base"`, `"`+base+`"`, ":base", ":"+base).Replace(string(text)))
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (k Kind) base() string { return "of-" + k.Name() }

// TestPolicies walks resources of every kind through their lives with the lists of managementPolicies that Crossplane
// supports, of which LateInitialize has no effect. It checks that the provider makes just the calls that the policies
// allow, and says what it does not do.
func TestPolicies(t *testing.T) {
	for _, policies := range [][]string{
		{"*"},
		{"Observe"},
		{"Observe", "LateInitialize"},
		{"Observe", "Create"},
		{"Observe", "Update"},
		{"Observe", "Delete"},
		{"Observe", "Create", "Update"},
		{"Observe", "Create", "Update", "LateInitialize"},
		{"Observe", "Create", "Delete"},
		{"Observe", "Create", "Update", "Delete"},
	} {
		t.Run(strings.Join(policies, ""), func(t *testing.T) {
			t.Parallel()
			Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) {
				w := &policyWalk{Simulation: s, policies: policies}
				w.prepare()
				s.Start(&Network{}, func(o *manager.Options) { o.PollInterval = 30 * time.Second })
				w.walk()
				w.leave()
				w.walk()
			})
		})
	}
}

// handKey is the access key of changes by hand.
const handKey = "HAND"

// A policyWalk walks a resource of each kind through a life.
type policyWalk struct {
	*Simulation

	policies []string
	lives    []*life

	// hand is a client of someone else.
	hand *lambda.Client

	// calls is the number of calls before the present step.
	calls int
}

// A life is that of one resource.
type life struct {
	policed
	Kind

	u *unstructured.Unstructured

	// left is the name of an external resource that exists before the resource, empty if there is none.
	left string

	// exists and differs report whether AWS has the external resource, and it is not as spec says.
	exists, differs bool

	// want are the expected calls of a step.
	want []string
}

// prepare makes all kinds, and what their resources belong to in AWS.
func (w *policyWalk) prepare() {
	w.Helper()
	kinds, err := Kinds()
	if err != nil {
		w.Fatal(err)
	}
	cfg := w.Double.ConfigFor(Region, handKey)
	cfg.BaseEndpoint, cfg.HTTPClient = aws.String(endpoint), w.httpClient(&Network{})
	w.hand = lambda.NewFromConfig(cfg)
	calls := policedKinds()
	for _, k := range kinds {
		if k.Variant == "" {
			w.Simulation.prepare(w.Lambda, k.base())
			w.lives = append(w.lives, &life{Kind: k.onBase(w), policed: calls[k.Kind]})
		}
	}
}

// leave leaves an external resource of each kind in AWS.
func (w *policyWalk) leave() {
	w.Helper()
	w.lives = slices.DeleteFunc(w.lives, func(l *life) bool { return l.Kind.Kind == "Invocation" })
	for _, l := range w.lives {
		l.u = l.New()
		w.Create(l.u)
	}
	time.Sleep(settles)
	for _, l := range w.lives {
		if !w.ready(l.u) {
			w.Fatalf("%s does not become ready: %v", l.Name(), l.u.Object["status"])
		}
		l.left = l.u.GetAnnotations()[meta.AnnotationKeyExternalName]
		w.Patch(l.u, map[string]any{"spec": map[string]any{"managementPolicies": []any{"Observe", "Create", "Update"}}})
		w.remove(l.u)
	}
	time.Sleep(settles)
}

// may returns calls if the policies allow an action.
func (w *policyWalk) may(action string, calls []string) []string {
	if slices.Contains(w.policies, "*") || slices.Contains(w.policies, action) {
		return calls
	}
	return nil
}

// settles is the time in which the provider does all that it is to do.
const settles = 2 * time.Minute

func (w *policyWalk) walk() {
	w.Helper()
	w.step("created", func(l *life) {
		l.u, l.differs = l.New(), false
		_ = unstructured.SetNestedStringSlice(l.u.Object, w.policies, "spec", "managementPolicies")
		if l.left == "" {
			l.want = w.may("Create", l.creates)
			l.exists = len(l.want) > 0
		} else {
			l.u.SetAnnotations(
				map[string]string{meta.AnnotationKeyExternalName: l.left, v1beta1.AnnotationAdopt: "true"},
			)
			l.want, l.exists = w.may("Update", l.adopts), true
		}
		w.Create(l.u)
	})
	w.step("changed", func(l *life) {
		if names := l.UpdateNames(); len(names) > 0 {
			w.Patch(l.u, map[string]any{"spec": map[string]any{"forProvider": l.Updates[names[0]]}})
			w.differ(l, l.updates)
		}
	})
	w.step("changed by hand", func(l *life) {
		if l.exists && l.change != nil {
			name := l.u.GetAnnotations()[meta.AnnotationKeyExternalName]
			if err := l.change(w.hand, name, l.base(), w.Simulation); err != nil {
				w.Fatal(err)
			}
			w.differ(l, l.corrects)
		}
	})
	before := w.Resources()
	w.step("deleted", func(l *life) {
		if l.exists {
			l.want = w.may("Delete", l.deletes)
		}
		w.remove(l.u)
	})
	if left := w.Resources(); len(w.may("Delete", []string{""})) == 0 && !slices.Equal(before, left) {
		w.Errorf("not all stay in AWS: %v, %v", before, left)
	}
	w.clear()
}

// differ sets what is expected when AWS differs from spec.
func (w *policyWalk) differ(l *life, calls []string) {
	if l.exists {
		l.want = w.may("Update", calls)
		if l.replaces {
			l.want = w.may("Create", l.want)
		}
		l.differs = len(l.want) == 0
	}
}

// step does something to all resources, and checks what the provider calls, and what it reports.
func (w *policyWalk) step(what string, do func(*life)) {
	w.Helper()
	w.calls = len(w.Double.Calls())
	for _, l := range w.lives {
		l.want = nil
		do(l)
	}
	time.Sleep(settles)
	got := w.writesByKind()
	for _, l := range w.lives {
		if diff := cmp.Diff(l.want, got[l.Kind.Kind], cmpopts.EquateEmpty()); diff != "" {
			w.Errorf("%s %s: calls: -want, +got:\n%s", l.Kind.Kind, what, diff)
		}
		if gone := w.gone(l.u); gone || what == "deleted" {
			if !gone {
				w.Errorf("%s %s: still there: %v", l.Kind.Kind, what, l.u.Object["metadata"])
			}
			continue
		}
		w.reports(l, what)
	}
}

// reports checks the status of a resource.
func (w *policyWalk) reports(l *life, what string) {
	w.Helper()
	ready, synced, phase := "True", "True", "Available"
	switch {
	case l.Kind.Kind == "RuntimeManagementConfig" && !l.exists && slices.Equal(w.policies, []string{"Observe"}):
		ready, phase = "False", "Differs" // AWS has one of every function.
	case !l.exists || l.Kind.Kind == "Invocation" && l.differs: // AWS has nothing that could differ.
		ready, phase = "False", "Error"
	case l.differs:
		ready, phase = "False", "Differs"
	}
	if !l.exists && slices.Equal(w.policies, []string{"Observe"}) && l.Kind.Kind != "Invocation" && phase == "Error" {
		synced = "False"
	}
	got, _, _ := unstructured.NestedString(l.u.Object, "status", "phase")
	if !is(l.u, "Ready", ready) || !is(l.u, "Synced", synced) || got != phase {
		w.Errorf("%s %s: want Ready=%s, Synced=%s, phase %s, got %v", l.Kind.Kind, what, ready, synced, phase,
			l.u.Object["status"])
	}
	a := l.u.GetAnnotations()
	if a[meta.AnnotationKeyExternalCreatePending] > a[meta.AnnotationKeyExternalCreateSucceeded] ||
		a[meta.AnnotationKeyExternalCreateFailed] != "" {
		w.Errorf("%s %s: a creation is pending or has failed: %v", l.Kind.Kind, what, a)
	}
}

// writesByKind returns the operations of the provider in the present step that change something, by the kind of the
// resource for which they were called.
func (w *policyWalk) writesByKind() map[string][]string {
	w.Helper()
	byHand := func(c awsdouble.Call) bool { return c.AccessKey == handKey }
	reads := func(c awsdouble.Call) bool {
		return strings.HasPrefix(c.Operation, "Get") || strings.HasPrefix(c.Operation, "List")
	}
	out := map[string][]string{}
	for _, c := range w.Double.Calls()[w.calls:] {
		if byHand(c) || reads(c) {
			continue
		}
		i := slices.IndexFunc(w.lives, func(l *life) bool { return l.calls(c) })
		if i < 0 {
			w.Errorf("a call for no resource: %+v", c)
			continue
		}
		kind := w.lives[i].Kind.Kind
		out[kind] = append(out[kind], c.Operation)
	}
	return out
}

// calls reports whether a call is for the resource.
func (l *life) calls(c awsdouble.Call) bool {
	switch c.Operation {
	case "TagResource", "UntagResource":
		return len(l.adopts) > 0 &&
			(strings.HasSuffix(c.Resource, l.left) || strings.HasSuffix(c.Resource, ":"+l.Name()))
	case "DeleteFunction":
		return strings.Contains(c.Resource, l.base()) ||
			l.Kind.Kind == "Function" && strings.HasSuffix(c.Resource, l.Name())
	}
	return slices.Contains(slices.Concat(l.creates, l.updates, l.corrects, l.deletes), c.Operation)
}

// clear removes what was left in AWS.
func (w *policyWalk) clear() {
	w.Helper()
	for _, l := range w.lives {
		if name := l.u.GetAnnotations()[meta.AnnotationKeyExternalName]; name != "" && l.deletes != nil {
			l.u = l.New()
			l.u.SetAnnotations(map[string]string{meta.AnnotationKeyExternalName: name, v1beta1.AnnotationAdopt: "true"})
			w.Create(l.u)
		}
	}
	time.Sleep(settles)
	for _, l := range w.lives {
		if !w.gone(l.u) {
			w.remove(l.u)
		}
	}
	time.Sleep(settles)
}
