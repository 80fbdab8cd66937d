package versions

import (
	"context"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// endless has a list in which every page has a next one.
type endless struct{ calls int }

func (e *endless) ListVersionsByFunction(context.Context, *lambda.ListVersionsByFunctionInput, ...func(*lambda.Options)) (*lambda.ListVersionsByFunctionOutput, error) {
	e.calls++
	return &lambda.ListVersionsByFunctionOutput{NextMarker: ptr.To(strconv.Itoa(e.calls))}, nil
}

func TestListWithoutEnd(t *testing.T) {
	api := &endless{}
	kept := lambdaapi.KeptList{Cache: &readcache.Cache{}}
	if _, err := List(t.Context(), api, kept, "f"); err == nil || api.calls != lambdaapi.MostPages {
		t.Errorf("%d pages were read, %v", api.calls, err)
	}
}
