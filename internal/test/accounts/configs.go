package accounts

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// configure makes what belongs to a function or to its aliases.
func (a *Account) configure(ctx context.Context, name string, aliases []string) error {
	if len(aliases) > 0 && !a.Unversioned && a.maybe() {
		// An alias with weights cannot have it, and only one of several aliases of a version can.
		if _, err := a.Lambda.PutProvisionedConcurrencyConfig(ctx,
			&lambda.PutProvisionedConcurrencyConfigInput{
				FunctionName: &name, Qualifier: &aliases[0],
				ProvisionedConcurrentExecutions: aws.Int32(2),
			}); err != nil {
			return fmt.Errorf("provisioned concurrency: %w", err)
		}
	}
	for _, alias := range append([]string{""}, aliases...) {
		var q *string
		if alias != "" {
			q = &alias
		}
		for _, step := range []func(context.Context, string, *string) error{a.url, a.events, a.statements, a.mapping} {
			if a.maybe() {
				continue
			}
			if err := step(ctx, name, q); err != nil {
				return fmt.Errorf("qualifier %q: %w", alias, err)
			}
		}
	}
	return nil
}

func (a *Account) url(ctx context.Context, name string, q *string) error {
	in := &lambda.CreateFunctionUrlConfigInput{
		FunctionName: &name, Qualifier: q,
		AuthType:   pick(a, types.FunctionUrlAuthTypeAwsIam, types.FunctionUrlAuthTypeNone),
		InvokeMode: pick(a, types.InvokeModeBuffered, types.InvokeModeResponseStream),
	}
	if a.maybe() {
		in.Cors = &types.Cors{
			AllowOrigins: []string{"https://example.org"}, AllowMethods: []string{"GET", "POST"},
			AllowHeaders: a.subset("x-b", "x-a"), ExposeHeaders: a.subset("x-c"),
			AllowCredentials: some(a, true), MaxAge: some(a, int32(60)),
		}
	}
	_, err := a.Lambda.CreateFunctionUrlConfig(ctx, in)
	return err
}

func (a *Account) events(ctx context.Context, name string, q *string) error {
	in := &lambda.PutFunctionEventInvokeConfigInput{
		FunctionName: &name, Qualifier: q,
		MaximumRetryAttempts: aws.Int32(1), MaximumEventAgeInSeconds: some(a, int32(600)),
	}
	if a.maybe() {
		in.DestinationConfig = &types.DestinationConfig{
			OnFailure: &types.OnFailure{Destination: aws.String("arn:aws:sqs" + here + "failed")},
		}
		if other := pick(a, a.functions...); other != name {
			in.DestinationConfig.OnSuccess = &types.OnSuccess{Destination: aws.String("arn:aws:lambda" + here +
				"function:" + other)}
		}
	}
	_, err := a.Lambda.PutFunctionEventInvokeConfig(ctx, in)
	return err
}

// statements makes a policy that Permissions can express, or one that they cannot.
func (a *Account) statements(ctx context.Context, name string, q *string) error {
	holder := "arn:aws:lambda" + here + "function:" + name
	if q != nil {
		holder += ":" + *q
	}
	if a.IntN(4) == 0 {
		_, err := a.Lambda.PutResourcePolicy(ctx,
			&lambda.PutResourcePolicyInput{ResourceArn: &holder, Policy: aws.String(
				`{"Version": "2012-10-17", "Statement": [{"Sid": "partners", "Effect": "Allow", "Principal": {"AWS": ` +
					`["arn:aws:iam::210987654321:root", "arn:aws:iam::310987654321:root"]}, "Action": "lambda:` +
					`InvokeFunction", "Resource": "` + holder + `"}]}`)})
		return err
	}
	for i, in := range []lambda.AddPermissionInput{
		{
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("events.amazonaws.com"),
			SourceArn: aws.String("arn:aws:events" + here + "rule/nightly"),
		},
		{
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("s3.amazonaws.com"),
			SourceArn: aws.String("arn:aws:s3:::uploads"), SourceAccount: aws.String(awsdouble.DefaultAccount),
		},
		{Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("210987654321")},
		{
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("*"),
			PrincipalOrgID: aws.String("o-a1b2c3d4e5"),
		},
		{
			Action: aws.String("lambda:InvokeFunctionUrl"), Principal: aws.String("*"),
			FunctionUrlAuthType: types.FunctionUrlAuthTypeNone,
		},
		{
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("*"),
			InvokedViaFunctionUrl: aws.Bool(true),
		},
		{
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("alexa-appkit.amazon.com"),
			EventSourceToken: aws.String("amzn1.ask.skill." + a.Secret),
		},
	} {
		if a.maybe() {
			continue
		}
		in.FunctionName, in.Qualifier, in.StatementId = &name, q, aws.String(pick(a, "Sid_", "sid-")+fmt.Sprint(i))
		if _, err := a.Lambda.AddPermission(ctx, &in); err != nil {
			return err
		}
	}
	return nil
}

// mapping makes an event source mapping of a random source.
func (a *Account) mapping(ctx context.Context, name string, q *string) error {
	in := &lambda.CreateEventSourceMappingInput{
		FunctionName: aws.String(name), Enabled: some(a, true, false),
		Tags: a.texts("m", "team", "cost"),
	}
	if q != nil {
		in.FunctionName = aws.String(name + ":" + *q)
	}
	if a.maybe() {
		in.FilterCriteria = &types.FilterCriteria{Filters: []types.Filter{{
			Pattern: aws.String(`{"body":{"a":["b"]}}`),
		}}}
		in.KMSKeyArn = some(a, "arn:aws:kms"+here+"key/a")
	}
	switch a.IntN(4) {
	case 0:
		in.EventSourceArn, in.BatchSize = aws.String("arn:aws:sqs"+here+"orders-"+fmt.Sprint(a.IntN(1000000))), some(a,
			int32(5))
		in.FunctionResponseTypes = []types.FunctionResponseType{types.FunctionResponseTypeReportBatchItemFailures}
		if a.maybe() {
			in.ScalingConfig = &types.ScalingConfig{MaximumConcurrency: aws.Int32(7)}
		}
	case 1:
		in.EventSourceArn, in.StartingPosition = aws.String("arn:aws:kinesis"+here+"stream/clicks-"+
			fmt.Sprint(a.IntN(1000000))), types.EventSourcePositionTrimHorizon
		in.ParallelizationFactor, in.BisectBatchOnFunctionError, in.MaximumRetryAttempts = some(a, int32(2)), some(a,
			true), some(a, int32(3))
		in.DestinationConfig = &types.DestinationConfig{OnFailure: &types.OnFailure{Destination: aws.String(
			"arn:aws:sqs" + here + "failed")}}
	case 2: //nolint:mnd // The next one.
		in.EventSourceArn, in.StartingPosition, in.Topics = aws.String("arn:aws:kafka"+here+
			"cluster/c/01234567-89ab-cdef-0123-456789abcdef-"+fmt.Sprint(a.IntN(1000000))),
			types.EventSourcePositionLatest, []string{"orders"}
	default:
		in.SelfManagedEventSource = &types.SelfManagedEventSource{Endpoints: map[string][]string{
			"KAFKA_BOOTSTRAP_SERVERS": {"b" + fmt.Sprint(a.IntN(1000000)) + ":9092", "a:9092"},
		}}
		in.Topics, in.StartingPosition = []string{"orders"}, types.EventSourcePositionLatest
		in.SourceAccessConfigurations = []types.SourceAccessConfiguration{{
			Type: types.SourceAccessTypeVpcSubnet,
			URI: aws.String(
				"subnet:subnet-0123456789abcdef0"),
		}, {
			Type: types.SourceAccessTypeVpcSecurityGroup,
			URI:  aws.String("security_group:sg-0123456789abcdef0"),
		}}
	}
	_, err := a.Lambda.CreateEventSourceMapping(ctx, in)
	return err
}
