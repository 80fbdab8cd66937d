package refs

import (
	"context"
	"fmt"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Getter reads fields of objects. *FieldReader is one.
type Getter interface {
	Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error)
}

// One returns the value of a field of spec, or the selected value if there is a selector. An
// error contains the selector's field of spec, such as spec.forProvider.roleFrom.
func One(ctx context.Context, g Getter, namespace, name string, v *string,
	from *v1beta1.FieldSelector,
) (*string, error) {
	if from == nil {
		return v, nil
	}
	selected, err := g.Get(ctx, namespace, *from)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot resolve %s", name)
	}
	return &selected, nil
}

// All returns the values of a field of spec, or the selected values if there are selectors. A value that several of
// them select is returned once, because the API server accepts none twice in spec either.
func All(ctx context.Context, g Getter, namespace, name string, values []string,
	from []v1beta1.FieldSelector,
) ([]string, error) {
	if len(from) == 0 {
		return values, nil
	}
	all := make([]string, 0, len(from))
	for i := range from {
		selected, err := One(ctx, g, namespace, fmt.Sprintf("%s[%d]", name, i), nil, &from[i])
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, *selected) {
			all = append(all, *selected)
		}
	}
	return all, nil
}
