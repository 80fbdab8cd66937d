package awsdouble

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

func TestLimits(t *testing.T) {
	cases := map[string]struct {
		reason  string
		change  func(in *lambda.CreateFunctionInput)
		code    string
		message string
	}{
		"LargestEnvironment": {
			reason: "4096 bytes of JSON are accepted.",
			change: func(in *lambda.CreateFunctionInput) {
				in.Environment = &types.Environment{Variables: map[string]string{"LARGE_VAR": strings.Repeat("x",
					4080)}}
			},
		},
		"EnvironmentTooLarge": {
			reason: "One byte more is refused, and the message quotes the values.",
			change: func(in *lambda.CreateFunctionInput) {
				in.Environment = &types.Environment{Variables: map[string]string{"LARGE_VAR": strings.Repeat("x",
					4081)}}
			},
			code: "InvalidParameterValueException",
			message: `Lambda was unable to configure your environment variables because the environment variables ` +
				`you have provided exceeded the 4KB limit. String measured: {"LARGE_VAR":"xxx`,
		},
		"NoZip": {
			reason:  "Code that is no zip is refused.",
			change:  func(in *lambda.CreateFunctionInput) { in.Code.ZipFile = []byte("text") },
			code:    "InvalidParameterValueException",
			message: "Could not unzip uploaded file.",
		},
		"ZipTooLarge": {
			reason:  "A zip of more than 50 MB goes through S3.",
			change:  func(in *lambda.CreateFunctionInput) { in.Code.ZipFile = make([]byte, maxZip+1) },
			code:    "RequestEntityTooLargeException",
			message: "Zipped size must be smaller than 52428800 bytes",
		},
		"RequestTooLarge": {
			reason:  "A request has a bound of its own, which no zip that is accepted reaches.",
			change:  func(in *lambda.CreateFunctionInput) { in.Code.ZipFile = make([]byte, maxRequest/4*3+1) },
			code:    "RequestEntityTooLargeException",
			message: "Request must be smaller than 70167211 bytes for the CreateFunction operation",
		},
		"UnzippedTooLarge": {
			reason:  "The zip's directory tells how large it unpacks.",
			change:  func(in *lambda.CreateFunctionInput) { in.Code.ZipFile = bomb(t, maxUnzipped) },
			code:    "InvalidParameterValueException",
			message: "Unzipped size must be smaller than 262144000 bytes",
		},
		"TwoErrors": {
			reason: "All that the model forbids is reported at once.",
			change: func(in *lambda.CreateFunctionInput) { in.MemorySize, in.Timeout = aws.Int32(1), aws.Int32(5401) },
			code:   "ValidationException",
			message: "2 validation errors detected: Value '1' at 'memorySize' failed to satisfy constraint: Member " +
				"must have value greater than or equal to 128; Value '5401' at 'timeout' failed to satisfy " +
				"constraint: Member must have value less than or equal to 5400",
		},
		"Timeout": {
			reason: "Only functions on Lambda Managed Instances may take longer.",
			change: func(in *lambda.CreateFunctionInput) { in.Timeout = aws.Int32(901) },
			code:   "ValidationException",
			message: "1 validation error detected: Value '901' at 'timeout' failed to satisfy constraint: Member must have " +
				"value less than or equal to 900",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := zipFunction(t, "f")
			tc.change(in)
			_, err := client(start(t, Options{})).CreateFunction(t.Context(), in)
			if tc.code == "" {
				if err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			var api smithy.APIError
			if !errors.As(err, &api) || api.ErrorCode() != tc.code ||
				!strings.HasPrefix(api.ErrorMessage(), tc.message) {
				t.Errorf("%s\ngot %.300v\nwant %s: %s", tc.reason, err, tc.code, tc.message)
			}
		})
	}
}

// TestLayersAreTooLarge checks the common limit of code and layers, with the message that users quote.
func TestLayersAreTooLarge(t *testing.T) {
	c := client(start(t, Options{}))
	layer, err := c.PublishLayerVersion(t.Context(), &lambda.PublishLayerVersionInput{
		LayerName: aws.String("l"),
		Content:   &types.LayerVersionContentInput{ZipFile: bomb(t, maxUnzipped-2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := zipFunction(t, "f")
	in.Code.ZipFile, in.Layers = bomb(t, 3), []string{*layer.LayerVersionArn}
	const message = "Function code combined with layers exceeds the maximum allowed size of 262144000 bytes. The " +
		"actual size is 262144001 bytes."
	_, err = c.CreateFunction(t.Context(), in)
	wantError(t, err, "InvalidParameterValueException", message)

	in.Layers = nil
	create(t, c, in)
	_, err = c.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{
			FunctionName: in.FunctionName,
			Layers:       []string{*layer.LayerVersionArn},
		})
	wantError(t, err, "InvalidParameterValueException", message)

	if _, err := c.UpdateFunctionCode(t.Context(),
		&lambda.UpdateFunctionCodeInput{FunctionName: in.FunctionName, ZipFile: bomb(t, 2)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{
			FunctionName: in.FunctionName,
			Layers:       []string{*layer.LayerVersionArn},
		}); err != nil {
		t.Fatal(err)
	}
	_, err = c.UpdateFunctionCode(t.Context(),
		&lambda.UpdateFunctionCodeInput{FunctionName: in.FunctionName, ZipFile: bomb(t, 3)})
	wantError(t, err, "InvalidParameterValueException", message)
}

// bomb returns a small zip whose directory states a large unpacked size.
func bomb(t *testing.T, size uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "f", Method: zip.Deflate, UncompressedSize64: size}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
