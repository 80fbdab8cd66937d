package awsconfig

import (
	"errors"
	"net"
	"net/url"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"k8s.io/utils/ptr"
)

func TestExplain(t *testing.T) {
	unresolved := &url.Error{
		Op: "Post", URL: "https://lambda.eu-central-1.amazonaws.com/2015-03-31/functions/checkout/invocations",
		Err: &net.DNSError{Err: "no such host", Name: "lambda.eu-central-1.amazonaws.com", IsNotFound: true},
	}
	noRole := errors.New("no EC2 IMDS role found")
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Answer": {
			reason: "AWS's own words say what is wrong.",
			err:    &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "Function not found"},
			want:   "cannot invoke checkout: ResourceNotFoundException: Function not found",
		},
		"NoConcurrency": {
			reason: "AWS calls a reservation of 0 a rate that is exceeded, which would pass.",
			err: &types.TooManyRequestsException{
				Message: ptr.To("Rate Exceeded."),
				Reason:  types.ThrottleReasonReservedFunctionConcurrentInvocationLimitExceeded,
			},
			want: "cannot invoke checkout: TooManyRequestsException: the function has no concurrency left: its " +
				"reservedConcurrentExecutions are 0 or in use, or the other functions of the account have reserved " +
				"all of it",
		},
		"NoAnswer": {
			reason: "The SDK's context, such as an empty request ID, says nothing to a user.",
			err: &smithy.OperationError{
				ServiceID: "Lambda", OperationName: "Invoke", Err: &smithyhttp.RequestSendError{Err: unresolved},
			},
			want: "cannot invoke checkout: cannot resolve lambda.eu-central-1.amazonaws.com: check the region and the endpoint",
		},
		"NoCredentials": {
			reason: "The credentials are those of this machine, and not of the provider's pod.",
			err:    &smithy.OperationError{ServiceID: "ec2imds", OperationName: "GetMetadata", Err: noRole},
			want:   "cannot invoke checkout: operation error ec2imds: GetMetadata, no EC2 IMDS role found",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Explain("invoke checkout", tc.err); got.Error() != tc.want {
				t.Errorf("%s\ngot  %q\nwant %q", tc.reason, got, tc.want)
			}
		})
	}
}
