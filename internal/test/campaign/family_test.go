package campaign

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

var (
	families    = flag.Uint64("campaign.families", 2, "how many random histories of resources that belong together")
	firstFamily = flag.Uint64("campaign.first-family", 3, "the seed of the first one")
)

const (
	// familySteps is the number of steps of a history.
	familySteps = 40

	// mostFamilyCalls is the maximum number of calls of AWS in an hour on average.
	mostFamilyCalls = 2000
)

// familyKinds returns resources that refer to each other by name and by label: two layers, two Functions that use them,
// of which a Version publishes the other one's versions, an Alias of each, and what belongs to an Alias.
func familyKinds() []Kind {
	to := func(name string) map[string]any { return map[string]any{"name": name} }
	labelled := func(name string) map[string]any {
		return map[string]any{"matchLabels": map[string]any{"is": name}}
	}
	source := func(n int) map[string]any {
		return map[string]any{"inline": map[string]any{"index.py": fmt.Sprint("x = ", n)}}
	}
	layer := func(variant string) Kind {
		return Kind{
			Kind: "LayerVersion", Variant: variant,
			ForProvider: map[string]any{"content": source(1), "oldVersions": v1beta1.OldVersionsDelete},
			Updates: map[string]map[string]any{
				"1": {"content": source(1)}, "2": {"content": source(2)}, "3": {"content": source(3)},
			},
		}
	}
	function := func(variant string, settings, update map[string]any) Kind {
		k := Kind{
			Kind: "Function", Variant: variant, ForProvider: map[string]any{
				"role": "arn:aws:iam::123456789012:role/r", "runtime": "python3.13", "handler": "index.handler",
				"code": source(1),
			},
			Updates: map[string]map[string]any{
				"1": {"code": source(1)}, "2": {"code": source(2)}, "3": {"code": source(3)}, "layers": settings,
				"update": update,
			},
		}
		maps.Copy(k.ForProvider, settings)
		return k
	}
	main, live := to("function-main"), to("alias-live")
	onAlias := func(kind string, settings map[string]any, updates ...map[string]any) Kind {
		k := Kind{
			Kind:        kind,
			ForProvider: map[string]any{"functionNameRef": main},
			Updates:     map[string]map[string]any{},
		}
		maps.Copy(k.ForProvider, settings)
		for i, u := range updates {
			k.Updates[fmt.Sprint(i)] = u
		}
		return k
	}
	failing := func(name string) map[string]any {
		return map[string]any{
			"destinationConfig": map[string]any{"onFailure": map[string]any{"destinationRef": to(name)}},
		}
	}
	invoke := failing("function-other")
	invoke["qualifierRef"] = live
	all := []Kind{
		layer("one"), layer("two"),
		function("main", map[string]any{"publish": true, "layerRefs": []any{to("layerversion-one")}},
			map[string]any{"layerRefs": []any{to("layerversion-two"), to("layerversion-one")}}),
		function("other", map[string]any{"layerSelector": labelled("two")},
			map[string]any{"layerSelector": labelled("one")}),
		{Kind: "Version", ForProvider: map[string]any{"functionNameSelector": labelled("other")}},
		{Kind: "Alias", Variant: "live", ForProvider: map[string]any{"functionNameSelector": labelled("main")}},
		{Kind: "Alias", Variant: "fixed", ForProvider: map[string]any{
			"functionNameRef": to("function-other"), "functionVersionRef": to("version"),
		}},
		onAlias("FunctionURL", map[string]any{"authType": "AWS_IAM", "qualifierSelector": labelled("live")}),
		onAlias("Permission", map[string]any{
			"action": "lambda:InvokeFunction", "principal": "s3.amazonaws.com", "qualifierRef": live,
		}),
		onAlias("ProvisionedConcurrencyConfig", map[string]any{
			"provisionedConcurrentExecutions": int64(1), "qualifierRef": live,
		}),
		onAlias("FunctionEventInvokeConfig", invoke, map[string]any{"maximumRetryAttempts": int64(1)}),
		onAlias("EventSourceMapping", map[string]any{
			"eventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:carts", "qualifierRef": live,
		}, map[string]any{"functionNameRef": main, "qualifierRef": live},
			map[string]any{"functionNameRef": to("function-other"), "qualifierRef": to("alias-fixed")},
			map[string]any{"functionNameRef": main, "qualifierRef": nil}),
	}
	for i := range all {
		all[i].ForProvider["region"] = Region
	}
	return all
}

// A family is a run of the resources of familyKinds.
type family struct {
	*walker

	rand     *rand.Rand
	provider *Provider
	said     []string

	// refused says which writes to the Kubernetes API fail.
	refused atomic.Int32
}

// TestRandomFamilies lives resources through random changes of their references, what they refer to, and what AWS has,
// while calls fail and status is not written. In the end AWS must have what the references stand for, and nothing once
// all are deleted, in any order.
func TestRandomFamilies(t *testing.T) {
	for seed := *firstFamily; seed < *firstFamily+*families; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o := awsdouble.Options{CreateDuration: 2 * time.Second, UpdateDuration: time.Second}
			Run(t, o, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				f := &family{
					walker: &walker{Simulation: s, kinds: familyKinds()},
					rand:   rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // It is to be repeatable.
				}
				f.run()
				if t.Failed() {
					t.Logf("%s\ncalls:\n%s\n%s", strings.Join(f.said, "\n"), s.history(), s.statuses())
				}
			})
		})
	}
}

func (f *family) run() {
	f.Helper()
	began := time.Now()
	f.start()
	for range familySteps {
		f.step()
		time.Sleep(time.Duration(pause(f.rand)) * time.Second)
	}
	f.end()
	f.sayf("no more faults")
	if n, hours := len(f.Double.Calls()), int(time.Since(began).Hours())+1; n > mostFamilyCalls*hours {
		f.Errorf("%d calls of AWS in %d hours", n, hours)
	}
	for _, k := range f.kinds {
		f.create(k)
	}
	f.unrestrict()
	time.Sleep(3 * time.Hour) // Every resource is read in full.
	if !f.Until(3*time.Hour, f.allAreReady) {
		f.Errorf("does not converge: %s", f.statuses())
		return
	}
	f.checkNoWrites(time.Hour)
	f.check()
	f.clear()
	_ = f.provider.Stop()
}

func (f *family) sayf(format string, args ...any) {
	f.said = append(f.said, time.Now().Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
}

// start starts a process.
func (f *family) start() {
	f.provider = f.Start(&Network{Do: func(_ context.Context, c Call, side Side) error {
		status := strings.HasSuffix(c.Path, "/status")
		switch refused := f.refused.Load(); {
		case c.API != Kubernetes || !c.Writes() || !strings.Contains(c.Path, v1beta1.SchemeGroupVersion.Group):
		case refused == 1 && status && side == Before, refused == 2 && status && side == After,
			refused == 3 && side == Before, refused == 4 && side == After:
			return errNetwork
		}
		return nil
	}})
}

// end ends all faults.
func (f *family) end() {
	f.refused.Store(0)
	f.Double.ClearFaults()
}

// step makes a random change.
func (f *family) step() {
	k := f.kinds[f.rand.IntN(len(f.kinds))]
	_, unanswered := ownership.UnansweredAt(f.present(k))
	switch n := f.rand.IntN(20); {
	case n < 4:
		f.create(f.kinds...)
	case n < 9 && !unanswered && !f.gone(k.New()) && len(k.Updates) > 0:
		names := k.UpdateNames()
		name := names[f.rand.IntN(len(names))]
		f.sayf("update %s %s", k.Name(), name)
		f.patch(k, map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
	case n < 11 && !unanswered:
		f.sayf("delete %s", k.Name())
		f.delete(k)
		if k.Kind == "Version" { // AWS keeps it for its alias.
			f.delete(f.kinds[slices.IndexFunc(f.kinds, func(k Kind) bool { return k.Variant == "fixed" })])
		}
	case n == 11:
		choice := f.rand.IntN(len(policies))
		f.sayf("restrict %s %v", k.Name(), policies[choice])
		f.restrict(k, choice)
	case n == 12:
		f.provider.Kill()
		f.start()
		f.sayf("kill")
	case n == 13:
		f.refused.Store(f.rand.Int32N(5))
		f.sayf("refuse %d", f.refused.Load())
	case n == 14:
		f.end()
		f.sayf("no faults")
	case n < 18:
		f.fault()
	default:
		if !f.gone(k.New()) && f.ready(k.New()) {
			f.lose(k)
		}
	}
}

// present returns a resource as it is, or as it is created.
func (f *family) present(k Kind) *unstructured.Unstructured {
	u := k.New()
	f.gone(u)
	return u
}

// create creates resources that do not exist.
func (f *family) create(kinds ...Kind) {
	for _, k := range kinds {
		u := k.New()
		if !f.gone(u) {
			continue
		}
		f.sayf("create %s", k.Name())
		u.SetLabels(map[string]string{"is": strings.TrimPrefix(k.Name(), strings.ToLower(k.Kind)+"-")})
		f.make(u)
	}
}

// fault makes some calls of an operation fail.
func (f *family) fault() {
	operations := []string{
		"CreateFunction",
		"UpdateFunctionCode",
		"UpdateFunctionConfiguration",
		"PublishVersion",
		"CreateAlias",
		"UpdateAlias",
		"PublishLayerVersion",
		"CreateFunctionUrlConfig",
		"AddPermission",
		"CreateEventSourceMapping",
		"UpdateEventSourceMapping",
		"PutFunctionEventInvokeConfig",
		"PutProvisionedConcurrencyConfig",
		"DeleteFunction",
		"DeleteAlias",
		"DeleteLayerVersion",
		"DeleteEventSourceMapping",
		"DeleteFunctionUrlConfig",
		"RemovePermission",
		"ListAliases",
		"GetFunction",
		"GetEventSourceMapping",
		"ListVersionsByFunction",
	}
	fault := awsdouble.Fault{
		Operation: operations[f.rand.IntN(len(operations))],
		Times:     1 + f.rand.IntN(6),
		Drop:      awsdouble.Drop(f.rand.IntN(3)),
		Error:     awsdouble.ServiceFailure(),
	}
	f.sayf("fault %s %d times, drop %d", fault.Operation, fault.Times, fault.Drop)
	f.Double.Fail(fault)
}

// lose deletes or changes by hand what a resource has in AWS.
func (f *family) lose(k Kind) {
	f.sayf("by hand: %s", k.Name())
	api, ctx, name := f.Lambda, f.Context(), aws.String(k.Name())
	switch k.Kind {
	case "Function":
		if f.rand.IntN(2) == 0 {
			_, _ = api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: name})
			return
		}
		_, _ = api.UpdateFunctionCode(ctx,
			&lambda.UpdateFunctionCodeInput{FunctionName: name, ZipFile: []byte(emptyZip), Publish: true})
	case "Alias":
		for _, of := range []string{"function-main", "function-other"} {
			_, _ = api.DeleteAlias(ctx, &lambda.DeleteAliasInput{FunctionName: aws.String(of), Name: name})
		}
	case "LayerVersion":
		n, _, _ := unstructured.NestedInt64(f.present(k).Object, "status", "atProvider", "version")
		_, _ = api.DeleteLayerVersion(
			ctx,
			&lambda.DeleteLayerVersionInput{LayerName: name, VersionNumber: aws.Int64(n)},
		)
	case "EventSourceMapping":
		for _, m := range f.Double.Mappings() {
			_, _ = api.DeleteEventSourceMapping(ctx, &lambda.DeleteEventSourceMappingInput{UUID: m.UUID})
		}
	}
}

// allAreReady reports whether all resources are Ready. A mapping of which a user has to decide is created again.
func (f *family) allAreReady() bool {
	ready := true
	for _, k := range f.kinds {
		u := k.New()
		if f.gone(u) {
			f.create(k)
			return false
		}
		if f.neverShown(u) {
			f.remove(u)
			return false
		}
		ready = ready && f.ready(u)
	}
	return ready
}

// check checks that AWS has what the references stand for.
func (f *family) check() {
	f.Helper()
	api, ctx := f.Lambda, f.Context()
	layers := map[string]string{}
	for _, name := range []string{"one", "two"} {
		out, err := api.ListLayerVersions(
			ctx,
			&lambda.ListLayerVersionsInput{LayerName: aws.String("layerversion-" + name)},
		)
		if err != nil || len(out.LayerVersions) == 0 {
			f.Errorf("layer %s: %v", name, err)
			return
		}
		layers[name] = aws.ToString(out.LayerVersions[0].LayerVersionArn)
	}
	for function, alias := range map[string]string{"function-main": "alias-live", "function-other": "alias-fixed"} {
		spec := fmt.Sprint(f.present(f.kinds[slices.IndexFunc(f.kinds, func(k Kind) bool {
			return k.Name() == function
		})]).Object["spec"])
		var want []string
		switch {
		case strings.Contains(spec, "map[is:one]"), strings.Contains(spec, "layerRefs:[map[name:layerversion-one]]"):
			want = []string{layers["one"]}
		case strings.Contains(spec, "map[is:two]"):
			want = []string{layers["two"]}
		default:
			want = []string{layers["two"], layers["one"]}
		}
		for _, qualifier := range []string{"$LATEST", alias} {
			got, err := api.GetFunctionConfiguration(
				ctx,
				&lambda.GetFunctionConfigurationInput{
					FunctionName: aws.String(function),
					Qualifier:    aws.String(qualifier),
				},
			)
			if err != nil {
				f.Errorf("%s:%s: %v", function, qualifier, err)
				continue
			}
			var arns []string
			for _, l := range got.Layers {
				arns = append(arns, aws.ToString(l.Arn))
			}
			if diff := cmp.Diff(want, arns); diff != "" {
				f.Errorf("layers of %s:%s: -want, +got:\n%s", function, qualifier, diff)
			}
		}
	}
	arn := "arn:aws:lambda:" + Region + ":" + awsdouble.DefaultAccount + ":function:"
	mapping := fmt.Sprint(f.present(f.kinds[len(f.kinds)-1]).Object["spec"])
	to := arn + "function-main"
	switch {
	case strings.Contains(mapping, "alias-live"):
		to += ":alias-live"
	case strings.Contains(mapping, "alias-fixed"):
		to = arn + "function-other:alias-fixed"
	}
	if all := f.Double.Mappings(); len(all) != 1 || aws.ToString(all[0].FunctionArn) != to {
		f.Errorf("want one mapping to %s, got %d: %+v", to, len(all), all)
	}
	for _, want := range []string{
		"FunctionURL " + arn + "function-main:alias-live", "FunctionEventInvokeConfig " + arn + "function-main:alias-live",
		"ProvisionedConcurrencyConfig " + arn + "function-main:alias-live",
		"Permission " + arn + "function-main:alias-live/permission",
	} {
		if all := f.Resources(); !slices.Contains(all, want) {
			f.Errorf("want %s, got %v", want, all)
		}
	}
}

// clear deletes all in a random order, and checks that nothing is left.
func (f *family) clear() {
	f.Helper()
	f.Double.ResetCalls()
	for _, i := range f.rand.Perm(len(f.kinds)) {
		f.sayf("finally delete %s", f.kinds[i].Name())
		if err := f.Kube.Delete(f.Context(), f.kinds[i].New()); err != nil {
			f.Error(err)
		}
		time.Sleep(time.Duration(pause(f.rand)) * time.Second)
	}
	all := func() bool {
		return !slices.ContainsFunc(f.kinds, func(k Kind) bool { return !f.gone(k.New()) })
	}
	if !f.Until(time.Hour, all) {
		f.Error("some resources are not gone")
	}
	if left := f.Resources(); len(left) > 0 {
		f.Errorf("left in AWS: %v", left)
	}
	if n := len(f.writes()); n > 3*len(f.kinds) {
		f.Errorf("%d calls to delete %d resources", n, len(f.kinds))
	}
}
