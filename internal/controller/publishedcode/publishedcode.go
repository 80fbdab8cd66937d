// Package publishedcode records which revision of the code a published version has. It makes no calls of AWS.
package publishedcode

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// Max is the number of versions whose code's revision is recorded.
const Max = 20

// Record returns the record of versions' code with that of a version. deployed is the code that was deployed last,
// and codeSHA256 the hash of the version's code: if it is another one, or if it has no revision, the record stays. The
// code of a version with a number never changes, so that the first record of it stays, too. That of $LATEST.PUBLISHED
// is replaced, because it is published again.
func Record(
	all []v1beta1.PublishedCode, version, codeSHA256 string, deployed *v1beta1.DeployedCode,
) []v1beta1.PublishedCode {
	if version == functionname.LatestPublished {
		all = slices.DeleteFunc(slices.Clone(all), func(p v1beta1.PublishedCode) bool { return p.Version == version })
	}
	_, known := Of(all, version)
	if known || deployed == nil || deployed.Revision == "" || deployed.CodeSHA256 != codeSHA256 {
		return all
	}
	p := v1beta1.PublishedCode{Version: version, Revision: deployed.Revision, Verified: deployed.Verified}
	all = append([]v1beta1.PublishedCode{p}, all...)
	return all[:min(len(all), Max)]
}

// Of returns the record of a version, and reports whether there is one.
func Of(all []v1beta1.PublishedCode, version string) (v1beta1.PublishedCode, bool) {
	at := slices.IndexFunc(all, func(p v1beta1.PublishedCode) bool { return p.Version == version })
	if at < 0 {
		return v1beta1.PublishedCode{}, false
	}
	return all[at], true
}

// Referenced reads the object that a reference names, and reports whether there is one in the namespace. What is read
// is only shown, so that an error is as if there were none.
func Referenced(
	ctx context.Context, r client.Reader, namespace string, ref *xpv2.NamespacedReference, obj client.Object,
) bool {
	if ref == nil || ref.Namespace != "" && ref.Namespace != namespace {
		return false
	}
	return r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, obj) == nil
}
