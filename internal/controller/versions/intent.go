package versions

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// CallList is the operation that List calls.
const CallList = "ListVersionsByFunction"

// Intent describes the last call of PublishVersion. It is recorded before the call.
type Intent struct {
	// Before is the highest version number at that time. Numbers only grow: a version with a
	// higher number was published by that call or later, and one with this or a lower number
	// existed before. AWS returns such a version if nothing has changed since.
	Before int
	// Fingerprint identifies the code and configuration to be published.
	Fingerprint string
}

// IntentOf returns the intent that a resource has recorded, if any.
func IntentOf(mg metav1.Object) (Intent, bool) {
	rest, mine := strings.CutPrefix(mg.GetAnnotations()[v1beta1.AnnotationIntent], string(mg.GetUID())+"/")
	before, sum, ok := strings.Cut(rest, "/")
	n, err := strconv.Atoi(before)
	if !mine || !ok || err != nil {
		return Intent{}, false
	}
	return Intent{Before: n, Fingerprint: sum}, true
}

// Annotation returns the annotation that records the intent.
func (i Intent) Annotation(mg metav1.Object) map[string]string {
	return map[string]string{v1beta1.AnnotationIntent: fmt.Sprintf("%s/%d/%s", mg.GetUID(), i.Before, i.Fingerprint)}
}

// Lister lists the versions of a function.
type Lister interface {
	ListVersionsByFunction(ctx context.Context, in *lambda.ListVersionsByFunctionInput,
		opts ...func(*lambda.Options)) (*lambda.ListVersionsByFunctionOutput, error)
}

// List lists the numbered versions of a function. It returns none if the function does not exist.
func List(ctx context.Context, api Lister, function string) ([]types.FunctionConfiguration, error) {
	all := []types.FunctionConfiguration{}
	pages := lambda.NewListVersionsByFunctionPaginator(api,
		&lambda.ListVersionsByFunctionInput{FunctionName: ptr.To(function)})
	for page, err := range lambdaapi.Each(ctx, "versions", pages) {
		if awserr.IsNotFound(err) {
			return all, nil
		}
		if err != nil {
			return nil, errors.Wrapf(err, "cannot list the versions of function %s", function)
		}
		for i := range page.Versions {
			if Number(ptr.Deref(page.Versions[i].Version, "")) > 0 {
				all = append(all, page.Versions[i])
			}
		}
	}
	return all, nil
}

// Highest returns the highest number of the versions, or 0 if there is none.
func Highest(versions []types.FunctionConfiguration) int {
	n := 0
	for i := range versions {
		n = max(n, Number(ptr.Deref(versions[i].Version, "")))
	}
	return n
}
