package awsdouble

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

const capacityArn = "arn:aws:lambda:eu-west-1:123456789012:capacity-provider:web"

func capacityProvider(t *testing.T, c *lambda.Client) *types.CapacityProvider {
	t.Helper()
	out, err := c.CreateCapacityProvider(t.Context(), &lambda.CreateCapacityProviderInput{
		CapacityProviderName: aws.String("web"),
		VpcConfig: &types.CapacityProviderVpcConfig{
			SubnetIds:        []string{"subnet-1"},
			SecurityGroupIds: []string{"sg-1"},
		},
		PermissionsConfig: &types.CapacityProviderPermissionsConfig{
			CapacityProviderOperatorRoleArn: aws.String(testRole),
		},
		Tags: map[string]string{"team": "web"},
	})
	if err != nil {
		t.Fatalf("CreateCapacityProvider: %v", err)
	}
	return out.CapacityProvider
}

func capacityState(t *testing.T, c *lambda.Client) types.CapacityProviderState {
	t.Helper()
	out, err := c.GetCapacityProvider(t.Context(),
		&lambda.GetCapacityProviderInput{CapacityProviderName: aws.String("web")})
	if err != nil {
		t.Fatalf("GetCapacityProvider: %v", err)
	}
	return out.CapacityProvider.State
}

func TestTheLifeOfACapacityProvider(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Minute, UpdateDuration: time.Second})
	c := client(s)
	name := aws.String("web")
	if got := capacityProvider(t, c); got.State != types.CapacityProviderStatePending ||
		*got.CapacityProviderArn != capacityArn {
		t.Errorf("created: %+v", got)
	}
	_, err := c.UpdateCapacityProvider(t.Context(), &lambda.UpdateCapacityProviderInput{CapacityProviderName: name})
	wantError(t, err, "ResourceConflictException", "")
	_, err = c.DeleteCapacityProvider(t.Context(), &lambda.DeleteCapacityProviderInput{CapacityProviderName: name})
	wantError(t, err, "ResourceConflictException", "")
	clk.move(time.Minute)
	if got := capacityState(t, c); got != types.CapacityProviderStateActive {
		t.Errorf("state after creation: %s", got)
	}

	tags, err := c.ListTags(t.Context(), &lambda.ListTagsInput{Resource: aws.String(capacityArn)})
	if diff := cmp.Diff(map[string]string{"team": "web"}, tags.Tags); diff != "" || err != nil {
		t.Errorf("ListTags(): %v, -want +got:\n%s", err, diff)
	}
	up, err := c.UpdateCapacityProvider(t.Context(), &lambda.UpdateCapacityProviderInput{
		CapacityProviderName: name,
		PropagateTags: &types.PropagateTags{
			Mode:         types.PropagateTagsModeExplicit,
			ExplicitTags: map[string]string{"a": "b"},
		},
	})
	if err != nil || up.CapacityProvider.PropagateTags.ExplicitTags["a"] != "b" ||
		up.CapacityProvider.State != types.CapacityProviderStatePending {
		t.Errorf("UpdateCapacityProvider() = %+v, %v", up, err)
	}
	clk.move(time.Second)

	if _, err := c.DeleteCapacityProvider(t.Context(),
		&lambda.DeleteCapacityProviderInput{CapacityProviderName: name}); err != nil {
		t.Fatal(err)
	}
	if got := capacityState(t, c); got != types.CapacityProviderStateDeleting {
		t.Errorf("state while it is deleted: %s", got)
	}
	clk.move(time.Second)
	_, err = c.GetCapacityProvider(t.Context(), &lambda.GetCapacityProviderInput{CapacityProviderName: name})
	wantError(t, err, "ResourceNotFoundException", "Capacity provider not found: "+capacityArn)
	_, err = c.ListTags(t.Context(), &lambda.ListTagsInput{Resource: aws.String(capacityArn)})
	wantError(t, err, "ResourceNotFoundException", "Capacity provider not found: "+capacityArn)
}

func TestACapacityProviderInUseIsNotDeleted(t *testing.T) {
	s := start(t, Options{Now: newClock().now})
	c := client(s)
	capacityProvider(t, c)
	create(t, c, managedFunction(t, "f"))

	_, err := c.DeleteCapacityProvider(t.Context(),
		&lambda.DeleteCapacityProviderInput{CapacityProviderName: aws.String(capacityArn)})
	wantError(t, err, "ResourceConflictException", "")
}

func TestACapacityProviderFails(t *testing.T) {
	s := start(t, Options{Now: newClock().now})
	c := client(s)
	s.FailCapacity("web")
	capacityProvider(t, c)
	if got := capacityState(t, c); got != types.CapacityProviderStateFailed {
		t.Errorf("state: %s", got)
	}
	list, err := c.ListCapacityProviders(t.Context(),
		&lambda.ListCapacityProvidersInput{State: types.CapacityProviderStateActive})
	if err != nil || len(list.CapacityProviders) != 0 {
		t.Errorf("ListCapacityProviders() = %+v, %v", list, err)
	}
	_, err = c.CreateCapacityProvider(t.Context(), &lambda.CreateCapacityProviderInput{
		CapacityProviderName: aws.String("web web"),
		VpcConfig: &types.CapacityProviderVpcConfig{
			SubnetIds:        []string{"subnet-1"},
			SecurityGroupIds: []string{},
		},
		PermissionsConfig: &types.CapacityProviderPermissionsConfig{
			CapacityProviderOperatorRoleArn: aws.String(testRole),
		},
	})
	wantError(t, err, "ValidationException", "")
}
