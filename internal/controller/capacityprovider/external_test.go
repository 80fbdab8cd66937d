package capacityprovider

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// fakeLambda answers GetCapacityProvider.
type fakeLambda struct {
	lambdaAPI

	get func() (*lambda.GetCapacityProviderOutput, error)
}

func (f fakeLambda) GetCapacityProvider(context.Context, *lambda.GetCapacityProviderInput, ...func(*lambda.Options)) (*lambda.GetCapacityProviderOutput, error) {
	return f.get()
}

// An emulator may answer 200 to a path that it takes for another operation's.
func TestAnAnswerWithoutACapacityProvider(t *testing.T) {
	api := fakeLambda{get: func() (*lambda.GetCapacityProviderOutput, error) {
		return &lambda.GetCapacityProviderOutput{}, nil
	}}
	_, err := (&thing{api: api}).Read(t.Context(), testProvider())
	const want = "cannot read capacity provider web: AWS's answer to GetCapacityProvider contains no CapacityProvider"
	if err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
}
