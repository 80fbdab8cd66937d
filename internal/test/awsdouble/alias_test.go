package awsdouble

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

const functionARN = "arn:aws:lambda:eu-west-1:123456789012:function:f"

// publishTwo creates function f with the versions 1 and 2.
func publishTwo(t *testing.T, c *lambda.Client) {
	t.Helper()
	create(t, c, zipFunction(t, "f"))
	for _, description := range []string{"first", "second"} {
		if _, err := c.UpdateFunctionConfiguration(t.Context(),
			&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(
				"f"), Description: aws.String(description)}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.PublishVersion(t.Context(),
			&lambda.PublishVersionInput{FunctionName: aws.String("f")}); err != nil {
			t.Fatal(err)
		}
	}
}

func weights(of map[string]float64) *types.AliasRoutingConfiguration {
	return &types.AliasRoutingConfiguration{AdditionalVersionWeights: of}
}

func alias(
	t *testing.T, c *lambda.Client, name, version string, routing *types.AliasRoutingConfiguration,
) *lambda.CreateAliasOutput {
	t.Helper()
	out, err := c.CreateAlias(t.Context(), &lambda.CreateAliasInput{
		FunctionName: aws.String("f"), Name: aws.String(name), FunctionVersion: aws.String(version),
		RoutingConfig: routing,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAliasesThatAreRefused(t *testing.T) {
	const at = " failed to satisfy constraint: "
	cases := map[string]struct {
		reason        string
		name, version string
		routing       map[string]float64
		code, message string
	}{
		"Number": {
			reason: "A name of digits only would be a version.",
			name:   "12", version: "1", code: "ValidationException",
			message: "1 validation error detected: Value '12' at 'name'" + at +
				"Member must satisfy regular expression pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)",
		},
		"Version": {
			reason: "A version must be there.",
			name:   "a", version: "4", code: "ResourceNotFoundException", message: "Function not found: " +
				functionARN + ":4",
		},
		"Exists": {
			reason: "A name is taken once.",
			name:   "live", version: "1", code: "ResourceConflictException", message: "Alias already exists: " +
				functionARN + ":live",
		},
		"TwoWeights": {
			reason: "There is one additional version at most.",
			name:   "a", version: "1", routing: map[string]float64{"2": 0.1, "3": 0.1},
			code:    "InvalidParameterValueException",
			message: "Number of items in AdditionalVersionWeights cannot be greater than 1",
		},
		"Itself": {
			reason: "The additional version is another one.",
			name:   "a", version: "1", routing: map[string]float64{"1": 0.1},
			code:    "InvalidParameterValueException",
			message: "Invalid function version 1. Function version 1 is already included in routing configuration.",
		},
		"Latest": {
			reason: "$LATEST shares with no version.",
			name:   "a", version: "$LATEST", routing: map[string]float64{"1": 0.1},
			code:    "InvalidParameterValueException",
			message: "$LATEST is not supported for an alias pointing to more than 1 version",
		},
		"AdditionalLatest": {
			reason: "Nor is it an additional version.",
			name:   "a", version: "1", routing: map[string]float64{"$LATEST": 0.1}, code: "ValidationException",
			message: "1 validation error detected: Value '{$LATEST=0.1}' at 'routingConfig.additionalVersionWeights'" +
				at + "Map keys must satisfy constraint: [Member must have length less than or equal to 1024, Member " +
				"must have length greater than or equal to 1, Member must satisfy regular expression pattern: " +
				"[0-9]+, Member must not be null]",
		},
		"AdditionalMissing": {
			reason: "The additional version must be there.",
			name:   "a", version: "1", routing: map[string]float64{"9": 0.1}, code: "ResourceNotFoundException",
			message: "Function not found: " + functionARN + ":9",
		},
		"OtherRole": {
			reason: "Both versions have one execution role.",
			name:   "a", version: "1", routing: map[string]float64{"3": 0.1},
			code:    "InvalidParameterValueException",
			message: "Specified versions must be associated with the same execution role",
		},
		"TooMuch": {
			reason: "A weight is a share.",
			name:   "a", version: "1", routing: map[string]float64{"2": 1.5}, code: "ValidationException",
			message: "1 validation error detected: Value '{2=1.5}' at 'routingConfig.additionalVersionWeights'" + at +
				"Map value must satisfy constraint: [Member must have value less than or equal to 1.0, Member must " +
				"have value greater than or equal to 0.0, Member must not be null]",
		},
	}
	s := start(t, Options{})
	c := client(s)
	publishTwo(t, c)
	if _, err := c.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{
		FunctionName: aws.String("f"), Role: aws.String("arn:aws:iam::123456789012:role/other"),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: aws.String("f")}); err != nil {
		t.Fatal(err)
	}
	alias(t, c, "live", "1", nil)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := c.CreateAlias(t.Context(), &lambda.CreateAliasInput{
				FunctionName: aws.String("f"), Name: aws.String(tc.name), FunctionVersion: aws.String(tc.version),
				RoutingConfig: weights(tc.routing),
			})
			wantError(t, err, tc.code, tc.message)
		})
	}
}

func TestVersionsInUseAreKept(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	publishTwo(t, c)
	alias(t, c, "live", "2", weights(map[string]float64{"1": 0.25}))
	alias(t, c, "beta", "1", nil)

	drop := func(version string) error {
		_, err := c.DeleteFunction(ctx,
			&lambda.DeleteFunctionInput{FunctionName: aws.String("f"), Qualifier: aws.String(version)})
		return err
	}
	wantError(t, drop("1"), "ResourceConflictException",
		"Unable to delete version because the following aliases reference it: [beta, live]")
	wantError(t, drop("2"), "ResourceConflictException",
		"Unable to delete version because the following aliases reference it: [live]")

	if _, err := c.UpdateAlias(ctx, &lambda.UpdateAliasInput{
		FunctionName: aws.String("f"), Name: aws.String("live"), FunctionVersion: aws.String("1"),
		RoutingConfig: weights(map[string]float64{}),
	}); err != nil {
		t.Fatal(err)
	}
	if err := drop("2"); err != nil {
		t.Errorf("cannot delete a version that no alias uses: %v", err)
	}
	if err := drop("7"); err != nil {
		t.Errorf("cannot delete a version that is not there: %v", err)
	}
	_, err := c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("f"), Qualifier: aws.String("2")})
	wantError(t, err, "ResourceNotFoundException", "Function not found: "+functionARN+":2")
}

func TestListAliases(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	publishTwo(t, c)
	alias(t, c, "b", "1", weights(map[string]float64{"2": 0.5}))
	alias(t, c, "a", "1", nil)
	alias(t, c, "c", "2", nil)
	cases := map[string]struct {
		reason  string
		version *string
		want    []string
	}{
		"All": {reason: "All aliases are listed.", want: []string{"a", "b", "c"}},
		"Version": {
			reason:  "Those of a version are asked for, with those that send it a share.",
			version: aws.String("2"), want: []string{"b", "c"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := c.ListAliases(ctx,
				&lambda.ListAliasesInput{FunctionName: aws.String("f"), FunctionVersion: tc.version})
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, a := range out.Aliases {
				got = append(got, *a.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
	one, err := c.ListAliases(ctx, &lambda.ListAliasesInput{FunctionName: aws.String("f"), MaxItems: aws.Int32(1)})
	if err != nil || len(one.Aliases) != 1 || one.NextMarker == nil {
		t.Errorf("a page of one: %d aliases, marker %v, %v", len(one.Aliases), one.NextMarker, err)
	}
}

func TestAliasThatIsEditedOrGone(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	publishTwo(t, c)
	made := alias(t, c, "live", "1", nil)
	if !s.EditAlias("f", "live", func(a *Alias) { a.Description = "by hand" }) {
		t.Fatal("there is no alias to edit")
	}
	got, ok := s.Alias("f", "live")
	if !ok || got.Description != "by hand" || got.RevisionId == *made.RevisionId {
		t.Errorf("edited alias: %+v, of revision %s before", got, *made.RevisionId)
	}
	for range 2 {
		if _, err := c.DeleteAlias(ctx,
			&lambda.DeleteAliasInput{FunctionName: aws.String("f"), Name: aws.String("live")}); err != nil {
			t.Errorf("cannot delete an alias: %v", err)
		}
	}
	_, err := c.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: aws.String("f"), Name: aws.String("live")})
	wantError(t, err, "ResourceNotFoundException", "Cannot find alias arn: "+functionARN+":live")
	if s.EditAlias("f", "live", func(*Alias) {}) {
		t.Error("an alias that is gone was edited")
	}
}
