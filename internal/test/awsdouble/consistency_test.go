package awsdouble

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// TestReadsShowWhatWasCreatedLate covers every resource that can be created.
func TestReadsShowWhatWasCreatedLate(t *testing.T) {
	const lag = 5 * time.Second
	f, one := aws.String("f"), aws.String("1")
	cases := map[string]struct {
		create, read func(c *lambda.Client) error
	}{
		"Function": {
			create: func(c *lambda.Client) error {
				_, err := c.CreateFunction(t.Context(), zipFunction(t, "g"))
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("g")})
				return err
			},
		},
		"Version": {
			create: func(c *lambda.Client) error {
				if _, err := c.UpdateFunctionConfiguration(t.Context(),
					&lambda.UpdateFunctionConfigurationInput{FunctionName: f, Timeout: aws.Int32(9)}); err != nil {
					return err
				}
				_, err := c.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: f})
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetFunctionConfiguration(t.Context(),
					&lambda.GetFunctionConfigurationInput{FunctionName: f, Qualifier: aws.String("2")})
				return err
			},
		},
		"Alias": {
			create: func(c *lambda.Client) error {
				_, err := c.CreateAlias(t.Context(),
					&lambda.CreateAliasInput{FunctionName: f, FunctionVersion: one, Name: aws.String("live")})
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetAlias(t.Context(), &lambda.GetAliasInput{FunctionName: f, Name: aws.String("live")})
				return err
			},
		},
		"Layer": {
			create: func(c *lambda.Client) error {
				_, err := c.PublishLayerVersion(t.Context(), &lambda.PublishLayerVersionInput{LayerName: aws.String(
					"l"), Content: &types.LayerVersionContentInput{ZipFile: archive("l")}})
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetLayerVersion(t.Context(),
					&lambda.GetLayerVersionInput{LayerName: aws.String("l"), VersionNumber: aws.Int64(1)})
				return err
			},
		},
		"Mapping": {
			create: func(c *lambda.Client) error {
				_, err := c.CreateEventSourceMapping(t.Context(), &lambda.CreateEventSourceMappingInput{
					FunctionName:   f,
					EventSourceArn: aws.String("arn:aws:sqs:eu-west-1:123456789012:q"),
				})
				return err
			},
			read: func(c *lambda.Client) error {
				out, err := c.ListEventSourceMappings(t.Context(),
					&lambda.ListEventSourceMappingsInput{FunctionName: f})
				if err == nil && len(out.EventSourceMappings) == 0 {
					return notFound("no mapping")
				}
				return err
			},
		},
		"CapacityProvider": {
			create: func(c *lambda.Client) error {
				capacityProvider(t, c)
				return nil
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetCapacityProvider(t.Context(),
					&lambda.GetCapacityProviderInput{CapacityProviderName: aws.String("web")})
				return err
			},
		},
		"Policy": {
			create: func(c *lambda.Client) error { return allow(t, c, "one") },
			read: func(c *lambda.Client) error {
				_, err := c.GetPolicy(t.Context(), &lambda.GetPolicyInput{FunctionName: f})
				return err
			},
		},
		"URL": {
			create: func(c *lambda.Client) error {
				_, err := c.CreateFunctionUrlConfig(t.Context(),
					&lambda.CreateFunctionUrlConfigInput{FunctionName: f, AuthType: types.FunctionUrlAuthTypeNone})
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetFunctionUrlConfig(t.Context(), &lambda.GetFunctionUrlConfigInput{FunctionName: f})
				return err
			},
		},
		"EventInvokeConfig": {
			create: func(c *lambda.Client) error {
				_, err := c.PutFunctionEventInvokeConfig(t.Context(),
					&lambda.PutFunctionEventInvokeConfigInput{FunctionName: f, MaximumRetryAttempts: aws.Int32(1)})
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetFunctionEventInvokeConfig(t.Context(),
					&lambda.GetFunctionEventInvokeConfigInput{FunctionName: f})
				return err
			},
		},
		"ProvisionedConcurrency": {
			create: func(c *lambda.Client) error {
				_, err := c.PutProvisionedConcurrencyConfig(t.Context(),
					&lambda.PutProvisionedConcurrencyConfigInput{
						FunctionName: f, Qualifier: one,
						ProvisionedConcurrentExecutions: aws.Int32(1),
					})
				return err
			},
			read: func(c *lambda.Client) error {
				_, err := c.GetProvisionedConcurrencyConfig(t.Context(),
					&lambda.GetProvisionedConcurrencyConfigInput{FunctionName: f, Qualifier: one})
				return err
			},
		},
		"CodeSigningConfig": {
			create: func(c *lambda.Client) error {
				_, err := c.CreateCodeSigningConfig(t.Context(),
					&lambda.CreateCodeSigningConfigInput{AllowedPublishers: &types.AllowedPublishers{
						SigningProfileVersionArns: []string{
							"arn:aws:signer:eu-west-1:123456789012:/signing-profiles/p/v",
						},
					}})
				return err
			},
			read: func(c *lambda.Client) error {
				out, err := c.ListCodeSigningConfigs(t.Context(), &lambda.ListCodeSigningConfigsInput{})
				if err == nil && len(out.CodeSigningConfigs) == 0 {
					return notFound("no code signing configuration")
				}
				return err
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clk := newClock()
			s := start(t, Options{Now: clk.now})
			c := client(s)
			in := zipFunction(t, "f")
			in.Publish = true
			create(t, c, in)
			get(t, c, "f")
			s.SetConsistency(Consistency{Reads: lag})

			if err := tc.create(c); err != nil {
				t.Fatal(err)
			}
			clk.move(lag - 1)
			if err := tc.read(c); err == nil {
				t.Error("it shows too early")
			}
			clk.move(1)
			if err := tc.read(c); err != nil {
				t.Errorf("it does not show: %v", err)
			}
		})
	}
}

func allow(t *testing.T, c *lambda.Client, sid string) error {
	t.Helper()
	_, err := c.AddPermission(t.Context(), &lambda.AddPermissionInput{
		FunctionName: aws.String("f"), StatementId: &sid,
		Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("events.amazonaws.com"),
	})
	return err
}

func TestReadsShowAnEarlierState(t *testing.T) {
	clk := newClock()
	s := start(t, Options{
		Now: clk.now, CreateDuration: time.Second, UpdateDuration: 2 * time.Second,
		Consistency: Consistency{Reads: 5 * time.Second},
	})
	c, ctx := client(s), t.Context()
	create(t, c, zipFunction(t, "f"))
	_, err := c.CreateFunction(ctx, zipFunction(t, "f"))
	wantError(t, err, "ResourceConflictException", "Function already exist: f")
	clk.move(5 * time.Second)
	before := get(t, c, "f").Configuration
	if before.State != types.StatePending {
		t.Errorf("as it was when it was created: %s", before.State)
	}

	update := &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Timeout: aws.Int32(9)}
	if _, err := c.UpdateFunctionConfiguration(ctx, update); err != nil {
		t.Fatal(err)
	}
	clk.move(4 * time.Second)
	if got := get(t, c, "f").Configuration; *got.Timeout != 3 {
		t.Errorf("timeout while the update does not show: %d", *got.Timeout)
	}
	clk.move(time.Second)
	if got := get(t, c, "f").Configuration; *got.Timeout != 9 ||
		got.LastUpdateStatus != types.LastUpdateStatusInProgress {
		t.Errorf("as it was when it was updated: %d, %s", *got.Timeout, got.LastUpdateStatus)
	}
	clk.move(2 * time.Second)
	got := get(t, c, "f").Configuration
	if got.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		t.Errorf("as it was when the update had completed: %s", got.LastUpdateStatus)
	}
	update.RevisionId = got.RevisionId
	if _, err := c.UpdateFunctionConfiguration(ctx, update); err != nil {
		t.Errorf("the revision that is read is the one that there is: %v", err)
	}

	clk.move(10 * time.Second)
	s.EditFunction("f", func(f *Function) { f.Description = "by hand" })
	if got := get(t, c, "f").Configuration; *got.Description != "" {
		t.Error("changes by hand show late too")
	}
	if _, err := c.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String("f")}); err != nil {
		t.Fatal(err)
	}
	clk.move(4 * time.Second)
	get(t, c, "f")
	clk.move(time.Second)
	_, err = c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException", "")
}

func TestTagsMayLagLonger(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, Consistency: Consistency{Reads: 3 * time.Second, Tags: 5 * time.Second}})
	c, ctx := client(s), t.Context()
	in := zipFunction(t, "f")
	in.Tags = map[string]string{"a": "b"}
	create(t, c, in)
	if err := allow(t, c, "one"); err != nil {
		t.Fatal(err)
	}
	policy := func() error {
		_, err := c.GetPolicy(ctx, &lambda.GetPolicyInput{FunctionName: aws.String("f")})
		return err
	}
	wantError(t, policy(), "ResourceNotFoundException", "")
	wantError(t, allow(t, c, "one"), "ResourceConflictException", "")
	clk.move(3 * time.Second)
	if err := policy(); err != nil {
		t.Error(err)
	}
	if got := get(t, c, "f"); len(got.Tags) != 0 {
		t.Errorf("the function shows before its tags do: %v", got.Tags)
	}
	if _, err := c.RemovePermission(ctx,
		&lambda.RemovePermissionInput{FunctionName: aws.String("f"), StatementId: aws.String("one")}); err != nil {
		t.Fatal(err)
	}
	if err := policy(); err != nil {
		t.Errorf("a statement that was removed still shows: %v", err)
	}
	clk.move(2 * time.Second)
	if got := get(t, c, "f"); got.Tags["a"] != "b" {
		t.Errorf("tags: %v", got.Tags)
	}
	clk.move(time.Second)
	wantError(t, policy(), "ResourceNotFoundException", "")
}

func TestReadsMayAlternate(t *testing.T) {
	s := start(t, Options{Now: newClock().now, Consistency: Consistency{Reads: time.Second, Alternate: true}})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	for i := range 4 {
		_, err := c.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("f")})
		if found := err == nil; found != (i%2 == 0) {
			t.Errorf("read %d: %v", i, err)
		}
	}
	s.SetConsistency(Consistency{})
	get(t, c, "f")
}
