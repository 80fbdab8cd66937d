package alias

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// id identifies an alias by its function and name.
type id struct{ function, name string }

func (i id) String() string { return "alias " + i.name + " of function " + i.function }

// aliasName matches what AWS accepts as an alias's name: digits alone are a version.
var aliasName = regexp.MustCompile(`^[0-9]*[a-zA-Z_-][a-zA-Z0-9_-]*$`)

const maxName = 128

// idOf returns the id of the alias. The function's name may be empty if the resource is being deleted and never created
// its alias. During a deletion, the function is the one that has the alias, even if spec names another now; otherwise
// an error says that the two differ, because the alias would be left behind.
func idOf(a *v1beta1.Alias) (id, error) {
	i := id{
		function: ptr.Deref(a.Spec.ForProvider.FunctionName, ""),
		name:     cmp.Or(reconcile.ExternalName(a), a.GetName()),
	}
	if len(i.name) > maxName || !aliasName.MatchString(i.name) {
		return i,
			errors.Errorf("%q is not a valid alias name: use 1 to %d letters, digits, hyphens and underscores, not "+
				"digits alone; set the annotation %s", i.name, maxName, meta.AnnotationKeyExternalName)
	}
	var err error
	i.function, err = ownership.ParentOf(a, ptr.Deref(a.Status.AtProvider.FunctionName, ""), i.function)
	return i, err
}

// settings are all that can differ between the desired and the observed alias. JSON names are the users' field names.
type settings struct {
	FunctionVersion *string  `json:"functionVersion"`
	Description     *string  `json:"description"`
	RoutingConfig   *routing `json:"routingConfig" diff:"atomic"`
}

// routing has weights as decimal numbers in their shortest form.
type routing struct {
	AdditionalVersionWeights map[string]string `json:"additionalVersionWeights"`
}

// weighs reports whether a version has a weight.
func (r *routing) weighs(version *string) bool {
	return r != nil && r.AdditionalVersionWeights[ptr.Deref(version, "")] != ""
}

// follows reports whether the alias invokes the version that its Function published last.
func follows(a *v1beta1.Alias) bool {
	named := a.Spec.ForProvider.FunctionVersion != nil
	if i := a.Spec.InitProvider; i != nil {
		named = named || i.FunctionVersion != nil
	}
	return !named && a.Spec.ForProvider.FunctionNameRef != nil
}

// fromSpec returns a block of spec in comparable form.
func fromSpec(s v1beta1.AliasSettings) settings {
	out := settings{FunctionVersion: s.FunctionVersion, Description: s.Description}
	if s.RoutingConfig != nil {
		weights := map[string]float64{}
		for v, w := range s.RoutingConfig.AdditionalVersionWeights {
			// Admission has checked that it is a number.
			weights[v], _ = strconv.ParseFloat(string(w), 64)
		}
		out.RoutingConfig = routingOf(weights)
	}
	return out
}

// routingOf returns weights in comparable form, nil if there are none. It omits a weight of all calls: AWS sets one
// itself while provisioned concurrency moves from one version to another, and users cannot.
func routingOf(weights map[string]float64) *routing {
	out := map[string]string{}
	for v, w := range weights {
		if w > 0 && w < 1 {
			out[v] = lambdaapi.Decimal(w)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return &routing{AdditionalVersionWeights: out}
}

func weightsOf(r *types.AliasRoutingConfiguration) map[string]float64 {
	if r == nil {
		return nil
	}
	return r.AdditionalVersionWeights
}

// fromAWS returns the AWS value in comparable form.
func fromAWS(a types.AliasConfiguration) settings {
	return settings{
		FunctionVersion: a.FunctionVersion,
		Description:     ptr.To(ptr.Deref(a.Description, "")),
		RoutingConfig:   routingOf(weightsOf(a.RoutingConfig)),
	}
}

func createInput(i id, s settings) *lambda.CreateAliasInput {
	in := &lambda.CreateAliasInput{
		FunctionName: ptr.To(i.function), Name: ptr.To(i.name),
		FunctionVersion: s.FunctionVersion, Description: s.Description,
	}
	if s.RoutingConfig != nil {
		in.RoutingConfig = routingInput(s.RoutingConfig)
	}
	return in
}

// updateInput returns the request for the fields that changed. Weights are sent along with another version, so that all
// calls move in one step: an empty map clears them, nil would keep them.
func updateInput(i id, t settings, changes diff.Changes, revision *string) *lambda.UpdateAliasInput {
	in := &lambda.UpdateAliasInput{FunctionName: ptr.To(i.function), Name: ptr.To(i.name), RevisionId: revision}
	if changes.Any("functionVersion") {
		in.FunctionVersion = t.FunctionVersion
	}
	if changes.Any("description") {
		in.Description = t.Description
	}
	if changes.Any("functionVersion", "routingConfig") {
		in.RoutingConfig = routingInput(t.RoutingConfig)
	}
	return in
}

func routingInput(r *routing) *types.AliasRoutingConfiguration {
	weights := map[string]float64{}
	if r != nil {
		for v, w := range r.AdditionalVersionWeights {
			// It was formatted from a number.
			weights[v], _ = strconv.ParseFloat(w, 64)
		}
	}
	return &types.AliasRoutingConfiguration{AdditionalVersionWeights: weights}
}

// percentages returns weights in the order of their versions, such as 2=10%.
func percentages(weights map[string]float64) string {
	shown := make([]string, 0, len(weights))
	for _, version := range slices.Sorted(maps.Keys(weights)) {
		percent := math.Round(weights[version]*1e6) / 1e4
		shown = append(shown, version+"="+lambdaapi.Decimal(percent)+"%")
	}
	return strings.Join(shown, ",")
}

// observation returns what status shows of an alias. code is that of the function's versions, as far as it is known.
func observation(i id, a types.AliasConfiguration, code []v1beta1.PublishedCode) v1beta1.AliasObservation {
	out := v1beta1.AliasObservation{
		Name:            ptr.To(i.name),
		AliasArn:        a.AliasArn,
		InvokeArn:       lambdaapi.Text(lambdaapi.InvokeARN(ptr.Deref(a.AliasArn, ""))),
		FunctionName:    ptr.To(i.function),
		FunctionVersion: a.FunctionVersion,
		Description:     lambdaapi.Text(ptr.Deref(a.Description, "")),
		RevisionID:      a.RevisionId,
	}
	if w := weightsOf(a.RoutingConfig); len(w) > 0 {
		out.RoutingConfig = &v1beta1.AliasRoutingConfig{AdditionalVersionWeights: map[string]v1beta1.AliasWeight{}}
		for version, weight := range w {
			out.RoutingConfig.AdditionalVersionWeights[version] = v1beta1.AliasWeight(lambdaapi.Decimal(weight))
		}
		out.Weights = ptr.To(percentages(w))
	}
	additional := slices.Sorted(maps.Keys(weightsOf(a.RoutingConfig)))
	for _, version := range append([]string{ptr.Deref(a.FunctionVersion, "")}, additional...) {
		if p, known := publishedcode.Of(code, version); known {
			out.ServedCode = append(out.ServedCode, p)
		}
	}
	return out
}
