package awsdouble

import (
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

func TestConcurrentCallers(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	arn := *create(t, c, zipFunction(t, "f")).FunctionArn
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 5 {
				tags := map[string]string{fmt.Sprintf("k%d-%d", i, j): "v"}
				if _, err := c.TagResource(ctx,
					&lambda.TagResourceInput{Resource: aws.String(arn), Tags: tags}); err != nil {
					t.Errorf("TagResource: %v", err)
				}
				if _, err := c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("f")}); err != nil {
					t.Errorf("GetFunction: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if f, _ := s.Function("f"); len(f.Tags) != 40 {
		t.Errorf("%d tags, want 40", len(f.Tags))
	}
}
