package awserr

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"
)

func TestSanitize(t *testing.T) {
	denied := "User: arn:aws:sts::123456789012:assumed-role/provider/aws-go-sdk-1711111111111111 is not authorized " +
		"to perform: "
	fetch := func(err error) error {
		return &smithy.OperationError{
			ServiceID: "Lambda", OperationName: "GetFunction",
			Err: fmt.Errorf("get identity: get credentials: failed to refresh cached credentials, %w", err),
		}
	}
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Plain": {
			"AWS's own sentence is what the user needs.",
			answer("Lambda", "GetFunction", 404, "ResourceNotFoundException", "Function not found: orders"),
			"ResourceNotFoundException: Function not found: orders",
		},
		"Page": {
			"A proxy, or an emulator that lacks the operation, answers with a page.",
			&smithy.OperationError{
				ServiceID: "Lambda", OperationName: "ListFunctionUrlConfigs",
				Err: &smithyhttp.ResponseError{
					Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusNotFound}},
					Err: &smithy.DeserializationError{
						Err: errors.New("invalid character '<' looking for beginning of value"),
					},
				},
			},
			"the answer with HTTP status 404 cannot be read: check that the endpoint is AWS or an emulator that " +
				"supports the operation, and that no proxy answers instead",
		},
		"Wrapped": {
			"What could not be done stays in front.",
			fmt.Errorf("cannot create function: %w", answer("Lambda", "CreateFunction", 400, "InvalidZipFileException",
				"Could not unzip uploaded file.")),
			"cannot create function: InvalidZipFileException: Could not unzip uploaded file.",
		},
		"ImageIndex": {
			"AWS does not say what is wrong with the image, nor what to do.",
			answer("Lambda", "CreateFunction", 400, "InvalidParameterValueException",
				"The image manifest, config or layer media type for the source image "+
					"123456789012.dkr.ecr.eu-central-1.amazonaws.com/cart:v1 is not supported."),
			"InvalidParameterValueException: The image manifest, config or layer media type for the source image " +
				"123456789012.dkr.ecr.eu-central-1.amazonaws.com/cart:v1 is not supported. Lambda accepts no image " +
				"index, which docker buildx pushes by default: set code.trackImageTag, so that the index's image of " +
				"the function's architecture is deployed, or push a single image (docker buildx build --platform " +
				"linux/amd64 --provenance=false --sbom=false, or linux/arm64)",
		},
		"Attempts": {
			"The number of attempts is noise.",
			&smithy.OperationError{
				ServiceID: "Lambda", OperationName: "GetFunction",
				Err: fmt.Errorf("exceeded maximum number of attempts, 3, %w", answer("Lambda", "GetFunction", 429,
					"TooManyRequestsException", "Rate exceeded")),
			},
			"TooManyRequestsException: Rate exceeded",
		},
		"Unreadable": {
			"A payload with bytes that are no UTF-8 may come from a Secret.",
			answer(
				"Lambda",
				"Invoke",
				400,
				"InvalidRequestContentException",
				"Could not parse request body into json: "+
					"Could not parse payload into json: Invalid UTF-8 start byte 0x97\n at [Source: "+
					"(byte[])\"{\"password\":\"hunter2\"}\"; line: 1, column: 13]",
			),
			"InvalidRequestContentException: Could not parse request body into json: Could not parse payload into json: " +
				"Invalid UTF-8 start byte 0x97",
		},
		"UnknownToken": {
			"The text that is no JSON may be a secret.",
			answer(
				"Lambda",
				"Invoke",
				400,
				"InvalidRequestContentException",
				"Could not parse request body into json: "+
					"Unrecognized token 'hunter2': was expecting ('true', 'false' or 'null')\n at [Source: "+
					"(byte[])\"hunter2\"; line: 1, column: 8]",
			),
			"InvalidRequestContentException: Could not parse request body into json: Unrecognized token: was expecting " +
				"('true', 'false' or 'null')",
		},
		"SwappedKeys": {
			"AWS quotes what should be the access key ID. It is the secret access key if the two are swapped.",
			fetch(answer("STS", "GetCallerIdentity", 403, "IncompleteSignature", "Credential must have exactly 5 "+
				"slash-delimited elements, e.g. keyid/date/region/service/term, got "+
				"'hunter/2/20200619/us-west-2/sts/aws4_request'")),
			"cannot get AWS credentials: STS GetCallerIdentity: IncompleteSignature: the access key ID is malformed: check " +
				"that it is not the secret access key and has no spaces",
		},
		"SpacedKey": {
			"The signature is another one at each attempt.",
			answer(
				"Lambda",
				"GetFunction",
				403,
				"IncompleteSignatureException",
				"'/20200122/us-east-1/lambda/aws4_request' "+
					"not a valid key=value pair (missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 "+
					"Credential=AKIADOUBLE /20200122/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=cbeed485'.",
			),
			"IncompleteSignatureException: the access key ID is malformed: check that it is not the secret access key and " +
				"has no spaces",
		},
		"Violation": {
			"The field is named, its value is not quoted.",
			answer("Lambda", "CreateFunction", 400, "ValidationException",
				"1 validation error detected: Value 'r1' at 'role' failed to satisfy constraint: Member must have "+
					"length greater than or equal to 20"),
			"ValidationException: role: must have length greater than or equal to 20",
		},
		"Enum": {
			"The values that are accepted do not say which one was wrong, and an enum holds no secret.",
			answer("Lambda", "CreateFunction", 400, "ValidationException",
				"2 validation errors detected: Value 'invalidOption' at 'snapStart.applyOn' failed to satisfy "+
					"constraint: Member must satisfy enum value set: [PublishedVersions, None]; Value '[x86]' at "+
					"'architectures' failed to satisfy constraint: Member must satisfy constraint: [Member must "+
					"satisfy enum value set: [x86_64, arm64], Member must not be null]"),
			`ValidationException: snapStart.applyOn: "invalidOption" must satisfy enum value set: [PublishedVersions, ` +
				`None]; architectures: "x86" must [Member must satisfy enum value set: [x86_64, arm64], Member must ` +
				`not be null]`,
		},
		"EnumOfText": {
			"What is no word is not quoted.",
			answer("Lambda", "CreateFunction", 400, "ValidationException",
				"1 validation error detected: Value 'my secret' at 'packageType' failed to satisfy constraint: "+
					"Member must satisfy enum value set: [Image, Zip]"),
			"ValidationException: packageType: must satisfy enum value set: [Image, Zip]",
		},
		"Violations": {
			"Each field is named.",
			answer("Lambda", "CreateFunction", 400, "ValidationException",
				"2 validation errors detected: Value '{A=hunter2; B='x' at y}' at 'environment.variables' failed to "+
					"satisfy constraint: Member must have length less than or equal to 5; Value 'q' at 'handler' failed "+
					"to satisfy constraint: Member must not be null"),
			"ValidationException: environment.variables: must have length less than or equal to 5; handler: must not " +
				"be null",
		},
		"Measured": {
			"The environment that AWS measured is not shown.",
			answer(
				"Lambda",
				"CreateFunction",
				400,
				"InvalidParameterValueException",
				`Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit. String measured: {"PASSWORD":"hunter2"}`,
			),
			"InvalidParameterValueException: Lambda was unable to configure your environment variables because the " +
				"environment variables you have provided exceeded the 4KB limit.",
		},
		"Ids": {
			"Ids of requests are not shown.",
			answer("Lambda", "CreateFunction", 400, "InvalidParameterValueException",
				"It failed. (Service: Lambda, Status Code: 400, Request ID: 1f3e-99, Extended Request ID: abc=) at "+
					"https://example.org/x?y=z"),
			"InvalidParameterValueException: It failed. at <url>",
		},
		"URLBeforePunctuation": {
			"What follows an address is not part of it.",
			answer("Lambda", "CreateFunction", 400, "InvalidParameterValueException",
				"Cannot read https://example.org/x?y=z: see https://example.org/docs, or https://example.org."),
			"InvalidParameterValueException: Cannot read <url>: see <url>, or <url>.",
		},
		"DeniedIdentity": {
			"The action, its object and the identity are named, the session is not.",
			answer("Lambda", "CreateFunction", 403, "AccessDeniedException",
				denied+"lambda:CreateFunction on resource: arn:aws:lambda:eu-west-1:123456789012:function:orders "+
					"because no identity-based policy allows the lambda:CreateFunction action"),
			"AccessDeniedException: arn:aws:sts::123456789012:assumed-role/provider may not lambda:CreateFunction on " +
				"arn:aws:lambda:eu-west-1:123456789012:function:orders: " +
				"allow it in a policy of the identity",
		},
		"DeniedExplicitly": {
			"A deny has to go, not an allow to come.",
			answer("Lambda", "DeleteFunction", 403, "AccessDeniedException",
				denied+"lambda:DeleteFunction on resource: arn:aws:lambda:eu-west-1:123456789012:function:orders "+
					"with an explicit deny in a service control policy"),
			"AccessDeniedException: arn:aws:sts::123456789012:assumed-role/provider may not lambda:DeleteFunction on " +
				"arn:aws:lambda:eu-west-1:123456789012:function:orders: " +
				"a service control policy of the organization forbids it: ask its administrator",
		},
		"DeniedAssumeRole": {
			"Two sides have to agree on a role.",
			fetch(answer("STS", "AssumeRole", 403, "AccessDenied",
				denied+"sts:AssumeRole on resource: arn:aws:iam::210987654321:role/deploy")),
			"cannot get AWS credentials: STS AssumeRole: AccessDenied: " +
				"arn:aws:sts::123456789012:assumed-role/provider may not sts:AssumeRole on " +
				"arn:aws:iam::210987654321:role/deploy: " +
				"allow sts:AssumeRole on arn:aws:iam::210987654321:role/deploy for " +
				"arn:aws:sts::123456789012:assumed-role/provider in its policy, " +
				"and trust arn:aws:sts::123456789012:assumed-role/provider in the role's trust policy, with the " +
				"external id and tags that it asks for",
		},
		"DeniedWithoutWord": {
			"The operation tells the action where AWS does not.",
			answer("S3", "HeadObject", 403, "Forbidden", "Forbidden"),
			"Forbidden: AWS gave no reason: allow s3:GetObject in a policy of the identity, and check that the " +
				"resource is in its account",
		},
		"DeniedWithoutMessage": {
			"The SDK makes a message up.",
			answer("Lambda", "GetFunction", 403, "AccessDeniedException", "UnknownError"),
			"AccessDeniedException: AWS gave no reason: allow lambda:GetFunction in a policy of the identity, and check " +
				"that the resource is in its account",
		},
		"RoleOfAnotherAccount": {
			"No policy of the identity allows it.",
			answer("Lambda", "CreateFunction", 403, "AccessDeniedException", "Cross-account pass role is not allowed."),
			"AccessDeniedException: Cross-account pass role is not allowed: use a role of the account of the identity",
		},
		"DeniedByS3": {
			"Lambda reads the object as the identity.",
			answer("Lambda", "CreateFunction", 403, "AccessDeniedException", "Your access has been denied by S3, please make "+
				"sure your request credentials have permission to GetObject for code/f.zip. S3 Error Code: AccessDenied. S3 Error "+
				"Message: Access Denied"),
			"AccessDeniedException: Your access has been denied by S3, please make sure your request credentials have " +
				"permission to GetObject for code/f.zip. S3 Error Code: AccessDenied. S3 Error Message: Access Denied: allow " +
				"s3:GetObject, or s3:GetObjectVersion of a version, in a policy of the identity, and in that of a bucket of " +
				"another account, and check that the object exists",
		},
		"DeniedByECR": {
			"Lambda reads the image itself.",
			answer("Lambda", "UpdateFunctionCode", 403, "AccessDeniedException",
				"Lambda does not have permission to access the ECR image. Check the ECR permissions."),
			"AccessDeniedException: Lambda does not have permission to access the ECR image. Check the ECR permissions: allow " +
				"ecr:BatchGetImage and ecr:GetDownloadUrlForLayer for lambda.amazonaws.com in the policy of the repository, or " +
				"allow the identity ecr:GetRepositoryPolicy and ecr:SetRepositoryPolicy, by which Lambda does so",
		},
		"Unsupported": {
			"No policy allows an operation that Lambda does not have.",
			answer("Lambda", "PutFunctionRecursionConfig", 403, "AccessDeniedException",
				"Unable to determine service/operation name to be authorized"),
			"AccessDeniedException: Unable to determine service/operation name to be authorized: Lambda lacks " +
				"PutFunctionRecursionConfig in this region, or the account has enabled the region only lately",
		},
		"CodeAlone": {
			"The SDK makes a message up.",
			answer("Lambda", "CreateFunction", 400, "InvalidParameterValueException", "UnknownError"),
			"InvalidParameterValueException",
		},
		"Encoded": {
			"An encoded message changes with each try.",
			answer("EC2", "DescribeSubnets", 403, "UnauthorizedOperation",
				"You are not authorized to perform this operation. Encoded authorization failure message: abcDEF-123_"),
			"UnauthorizedOperation: You are not authorized to perform this operation: allow ec2:DescribeSubnets in a " +
				"policy of the identity, and check that the resource is in its account",
		},
		"Expired": {
			"An expired token is renewed by its owner.",
			fetch(answer("STS", "AssumeRoleWithWebIdentity", 400, "ExpiredTokenException",
				"Token expired: current date/time 1711111111 must be before the expiration date/time 1711110000")),
			"cannot get AWS credentials: STS AssumeRoleWithWebIdentity: ExpiredTokenException: the credentials or " +
				"the token have expired: renew them",
		},
		"NoCredentials": {
			"The default chain's last resort fails with an address that helps nobody.",
			fetch(&smithy.OperationError{
				ServiceID: "ec2imds", OperationName: "GetMetadata",
				Err: errors.New("http response error StatusCode: 404, dial 169.254.169.254:80"),
			}),
			"cannot get AWS credentials: no source of the default chain has credentials: give the provider's pod an " +
				"IAM role (IRSA, Pod Identity or a node role), or choose another credentials.source",
		},
		"BareAPIError": {
			"An error outside an operation is sanitized too.",
			&smithy.GenericAPIError{Code: "ServiceException", Message: "Oops. RequestId: 1234-5678"},
			"ServiceException: Oops.",
		},
		"Address": {
			"A port differs at each try.",
			errors.New("read tcp 10.0.0.7:43210->52.94.1.2:443: i/o timeout"),
			"read tcp <address>-><address>: i/o timeout",
		},
		"Index": {
			"An index in a list is no address.",
			errors.New("assumeRoleChain[0].tags[1]: dial [fe80::1]:443 failed"),
			"assumeRoleChain[0].tags[1]: dial <address> failed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Sanitize(tc.err)
			if diff := cmp.Diff(tc.want, got.Error()); diff != "" {
				t.Errorf("\n%s\nClean: -want, +got:\n%s", tc.reason, diff)
			}
			if !errors.Is(got, tc.err) {
				t.Errorf("\n%s\nClean lost the error that it sanitized", tc.reason)
			}
			if again := Sanitize(got); again.Error() != got.Error() {
				t.Errorf("\n%s\nClean twice: got %q", tc.reason, again)
			}
			if strings.Contains(got.Error(), "hunter2") {
				t.Errorf("\n%s\nClean shows a value: %v", tc.reason, got)
			}
		})
	}
}

func TestNotFoundIsNamed(t *testing.T) {
	const arn = "Function not found: arn:aws:lambda:eu-west-1:123456789012:function:pay"
	for message, want := range map[string]string{
		arn:              "function pay does not exist in eu-west-1",
		arn + ":$LATEST": "function pay does not exist in eu-west-1",
		arn + ":9":       "version 9 of function pay does not exist in eu-west-1",
		arn + ":live":    "alias live of function pay does not exist in eu-west-1",
		arn + ": odd":    arn + ": odd",
		"The resource you requested does not exist.": "The resource you requested does not exist.",
	} {
		err := Sanitize(answer("Lambda", "CreateAlias", 404, "ResourceNotFoundException", message))
		if got := err.Error(); got != "ResourceNotFoundException: "+want || !IsNotFound(err) {
			t.Errorf("%s\nwant %s\ngot  %s", message, want, got)
		}
	}
}
