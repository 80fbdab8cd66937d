package awsconfig

import (
	"cmp"
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// A LogRetention is the time for which CloudWatch Logs keeps the events of a log group.
type LogRetention struct {
	Group string

	// Days is 0 if events never expire.
	Days int32
}

// LogRetentionOf returns the retention of the log group of a function (logs:DescribeLogGroups). It returns nil if the
// function's account has no such log group, or if the credentials are of another account.
func LogRetentionOf(ctx context.Context, cfg aws.Config, f *v1beta1.Function) (*LogRetention, error) {
	group := cmp.Or(kubectl.LogGroup(f.Status.AtProvider), "/aws/lambda/"+kubectl.FunctionName(f))
	function, err := arn.Parse(ptr.Deref(f.Status.AtProvider.FunctionArn, ""))
	if err != nil {
		return nil, nil //nolint:nilerr // AWS does not have the function, so it does not log.
	}
	// Names are sorted, so that the one that equals its prefix is the first.
	out, err := cloudwatchlogs.NewFromConfig(cfg).DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{
		LogGroupNamePrefix: &group, Limit: aws.Int32(1),
	})
	if err != nil {
		return nil, Explain("read the retention of log group "+group, err)
	}
	for _, g := range out.LogGroups {
		owner := strings.Split(ptr.Deref(g.Arn, ""), ":")
		if ptr.Deref(g.LogGroupName, "") == group && len(owner) > 4 &&
			owner[4] == function.AccountID { //nolint:mnd // arn:aws:logs:region:account.
			return &LogRetention{Group: group, Days: ptr.Deref(g.RetentionInDays, 0)}, nil
		}
	}
	return nil, nil
}
