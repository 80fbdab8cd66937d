package awsconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// LogRetentionOf returns for how many days CloudWatch Logs keeps the log of a function, 0 if it never expires
// (logs:DescribeLogGroups). It returns nil if the function's account has no such log group, or if the credentials are
// of another account.
func LogRetentionOf(ctx context.Context, c *cloudwatchlogs.Client, f *v1beta1.Function) (*int32, error) {
	group := kubectl.LogGroupOf(f)
	function, err := arn.Parse(ptr.Deref(f.Status.AtProvider.FunctionArn, ""))
	if err != nil {
		return nil, nil //nolint:nilerr // AWS does not have the function, so it does not log.
	}
	// Names are sorted, so that the one that equals its prefix is the first.
	out, err := c.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{
		LogGroupNamePrefix: &group, Limit: aws.Int32(1),
	})
	if err != nil {
		return nil, err
	}
	for _, g := range out.LogGroups {
		owner, err := arn.Parse(ptr.Deref(g.Arn, ""))
		if err == nil && ptr.Deref(g.LogGroupName, "") == group && owner.AccountID == function.AccountID {
			return ptr.To(ptr.Deref(g.RetentionInDays, 0)), nil
		}
	}
	return nil, nil
}
