package versions

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
)

// CallList is the operation that List calls.
const CallList = "ListVersionsByFunction"

// Failed returns the message of Ready for a version that AWS could not prepare. AWS returns that version again, rather
// than publish another, while nothing has changed since.
func Failed(version, reason string) string {
	return fmt.Sprintf("version %s failed: %s; to publish another version, change the function's code or "+
		"configuration, or delete version %[1]s in AWS", version, cmp.Or(reason, "AWS gives no reason"))
}

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

// LedTo returns the version that the intent has led to, or "" if there is none. content returns what is published of a
// function, or of a version. known is false if there may be one, but its variables can't be read.
func (i Intent) LedTo(
	all []lambdatypes.FunctionConfiguration, content func(*lambdatypes.FunctionConfiguration) fingerprint.Content,
) (name string, known bool) {
	known = true
	for j := range all {
		name := ptr.Deref(all[j].Version, "")
		switch {
		case Number(name) <= i.Before:
		case Unreadable(&all[j]) != "":
			known = false
		case content(&all[j]).Fingerprint() == i.Fingerprint:
			return name, true
		}
	}
	return "", known
}

// Unreadable returns why AWS does not return the variables of a function or a version, or "" if it does.
func Unreadable(c *lambdatypes.FunctionConfiguration) string {
	if c.Environment == nil || c.Environment.Error == nil {
		return ""
	}
	return awserr.InAnswer(c.Environment.Error.Message, c.Environment.Error.ErrorCode)
}

// List lists the numbered versions of a function. It returns none if the function does not exist. If a page cannot be
// read, it returns the error, and the next List with the same kept pages goes on from there: the list may have more
// pages than the request quota allows at once.
func List(
	ctx context.Context, api lambda.ListVersionsByFunctionAPIClient, kept lambdaapi.KeptList, function string,
) ([]lambdatypes.FunctionConfiguration, error) {
	all := []lambdatypes.FunctionConfiguration{}
	pages := lambda.NewListVersionsByFunctionPaginator(api,
		&lambda.ListVersionsByFunctionInput{FunctionName: ptr.To(function)})
	for page, err := range lambdaapi.Each(ctx, "versions", pages, kept.Options) {
		if awserr.IsNotFound(err) {
			break
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
func Highest(versions []lambdatypes.FunctionConfiguration) int {
	n := 0
	for i := range versions {
		n = max(n, Number(ptr.Deref(versions[i].Version, "")))
	}
	return n
}
