package layerversion

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// published returns the version that an intent has led to, or nil if there is none. A version that another resource
// owns, or may just have published, or that one of the same namespace names, is not it: others may publish the same
// content to the layer, and annotations such as the intent can be forged. Those of other namespaces do not count.
func (e *external) published(
	ctx context.Context, l *v1beta1.LayerVersion, i intent,
) (*lambda.GetLayerVersionOutput, error) {
	numbers, err := e.newer(ctx, layerName(l), i.Before)
	if err != nil {
		return nil, err
	}
	if err := e.facts.Reserve(slices.Repeat([]string{opGet}, len(numbers))...); err != nil {
		return nil, err
	}
	others := e.facts.Others.Names(ctx)
	for _, n := range numbers {
		o, err := e.get(ctx, version{layer: layerName(l), number: n})
		if err != nil { // Even if it is not found: AWS has just listed it.
			return nil, err
		}
		if !i.matches(o) || others[ptr.Deref(o.LayerVersionArn, "")] == l.GetNamespace() {
			continue
		}
		if e.lost, err = e.mayOwn(ctx, layerName(l), n); e.lost || err != nil {
			return o, err
		}
	}
	return nil, nil
}

// newer returns the versions of a layer above a number, lowest first. It stops at the first
// page with a lower one, because AWS lists the highest first.
func (e *external) newer(ctx context.Context, layer string, than int64) ([]int64, error) {
	var numbers []int64
	pages := lambda.NewListLayerVersionsPaginator(e.api, &lambda.ListLayerVersionsInput{LayerName: ptr.To(layer)})
	for page, err := range lambdaapi.Each(ctx, "layer versions", pages) {
		if awserr.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, errors.Wrapf(awserr.Sanitize(err), "cannot list the versions of layer %s", layer)
		}
		above := 0
		for i := range page.LayerVersions {
			if n := page.LayerVersions[i].Version; n > than {
				numbers = append(numbers, n)
				above++
			}
		}
		if above < len(page.LayerVersions) {
			break
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// highest returns the highest version number of a layer, or 0 if it has no version.
func (e *external) highest(ctx context.Context, layer string) (int64, error) {
	page, err := e.api.ListLayerVersions(ctx, &lambda.ListLayerVersionsInput{LayerName: ptr.To(layer)})
	if awserr.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, errors.Wrapf(awserr.Sanitize(err), "cannot list the versions of layer %s", layer)
	}
	var highest int64
	for i := range page.LayerVersions {
		highest = max(highest, page.LayerVersions[i].Version)
	}
	return highest, nil
}
