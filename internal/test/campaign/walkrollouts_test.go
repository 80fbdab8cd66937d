package campaign

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// mostPolls is how often the aliases of the released function are listed in an hour without
// any change.
const mostPolls = 24

// rolloutKinds returns Aliases with short rollouts, one for each policy for aliases that
// someone else changes.
func rolloutKinds() []Kind {
	var out []Kind
	for _, policy := range []string{v1beta1.OnDriftPause, v1beta1.OnDriftRevert, v1beta1.OnDriftAdopt} {
		k := rolledOut(strings.ToLower(policy), map[string]any{
			"strategy": map[string]any{"canary": map[string]any{"steps": []any{
				map[string]any{"setWeight": int64(20)},
				map[string]any{"pause": map[string]any{"duration": "20s"}},
				map[string]any{"setWeight": int64(60)},
			}}},
			"preTraffic":              []any{map[string]any{"name": "smoke", "invoke": map[string]any{}}},
			"analysis":                errorRate(),
			"finalBakeTime":           "30s",
			"progressDeadlineSeconds": int64(300),
			"onDrift":                 policy,
		})
		k.Creates = "CreateAlias"
		k.Updates = map[string]map[string]any{
			"description": {"description": "new"},
			"version":     {"functionVersion": "2"},
		}
		out = append(out, k)
	}
	return out
}

// rolloutKind returns an Alias with a rollout by a number.
func rolloutKind(choice int) Kind {
	all := rolloutKinds()
	return all[choice%len(all)]
}

// aVersion returns a version of the released function by a number.
func aVersion(choice int) string { return fmt.Sprint(choice%3 + 1) } //nolint:mnd // As many as there are.

// shift makes one of the versions of the released function fail, or none.
func (w *walker) shift(choice int) {
	versions := map[string]awsdouble.Outcomes{}
	if choice%4 != 0 { //nolint:mnd // Of four times, once none fails.
		versions[aVersion(choice)] = awsdouble.Outcomes{ErrorRate: 0.5}
	}
	for _, k := range rolloutKinds() {
		w.Double.Traffic(awsdouble.Traffic{
			Account: awsdouble.DefaultAccount, Function: released, Alias: k.Name(),
			PerMinute: perMinute, Versions: versions,
		})
	}
}

// rollOut changes the version of an Alias with a rollout, and what fails.
func (w *walker) rollOut(choice int) {
	w.Helper()
	k := rolloutKind(choice)
	w.shift(choice / 9) //nolint:mnd // As many as the other choices have.
	w.patch(k, map[string]any{"spec": map[string]any{"forProvider": map[string]any{
		"functionVersion": aVersion(choice / 3), //nolint:mnd // As above.
	}}})
}

// editRoute changes by hand which versions an alias invokes.
func (w *walker) editRoute(choice int) {
	in := &lambda.UpdateAliasInput{
		FunctionName:    aws.String(released), //nolint:mnd // As many as there are.
		Name:            aws.String(rolloutKind(choice).Name()),
		FunctionVersion: aws.String(aVersion(choice / 3)),
		RoutingConfig:   &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}},
	}
	if weight := choice / 27 % 4; weight > 0 && //nolint:mnd // As many as the other choices have.
		aVersion(choice/9) != *in.FunctionVersion {
		in.RoutingConfig.AdditionalVersionWeights[aVersion(choice/9)] = []float64{0, 0.2, 0.6, //nolint:mnd // As above.
			0.123}[weight]
	}
	_, _ = w.Lambda.UpdateAlias(w.Context(), in)
}

// command gives a rollout a command.
func (w *walker) command(choice int) {
	w.Helper()
	all := []string{
		v1beta1.AnnotationRolloutAbort, v1beta1.AnnotationRolloutPromote,
		v1beta1.AnnotationRolloutPromoteFull, v1beta1.AnnotationRolloutRetry, v1beta1.AnnotationRolloutRollbackTo,
	}
	name, value := all[choice/3%len(all)], fmt.Sprint(choice) //nolint:mnd // As many as there are Aliases.
	if name == v1beta1.AnnotationRolloutRollbackTo {
		value = aVersion(choice/15) + "/" + value //nolint:mnd // As many as the other choices have.
	}
	w.annotate(rolloutKind(choice), name, value)
}

// resolveDrift undoes what people have changed, as their users are asked to.
func (w *walker) resolveDrift() {
	w.Helper()
	for _, k := range rolloutKinds() {
		if u := k.New(); !w.gone(u) && rolloutField(u, "drift") != "" {
			w.annotate(k, v1beta1.AnnotationRolloutAbort, "resolve")
		}
	}
}

// rolled checks that each alias with a rollout invokes one version, the right one, and that
// since a call only polls were made for it.
func (w *walker) rolled(since int) {
	w.Helper()
	for _, k := range rolloutKinds() {
		u := k.New()
		if w.gone(u) {
			continue
		}
		want := rolloutField(u, "stable", "functionVersion")
		if got := w.route(k.Name()); got != want {
			w.Errorf("%s invokes %s, the stable version is %s: %v", k.Name(), got, want, u.Object["status"])
		}
		desired, _, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "functionVersion")
		if rolloutField(u, "phase") == v1beta1.RolloutReady && want != desired {
			w.Errorf("%s invokes %s, its spec has %s: %v", k.Name(), want, desired, u.Object["status"])
		}
	}
	polls := 0
	for _, c := range w.Double.Calls()[since:] {
		switch {
		case c.Operation == "GetMetricData":
			w.Errorf("a rollout at rest calls %s", c.Operation)
		case c.Resource != released:
		case c.Operation == "ListAliases":
			polls++
		default:
			w.Errorf("a rollout at rest calls %s", c.Operation)
		}
	}
	if polls > mostPolls {
		w.Errorf("%d polls of %s in an hour, %d at most", polls, released, mostPolls)
	}
}
