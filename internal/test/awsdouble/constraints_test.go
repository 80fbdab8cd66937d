package awsdouble

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
)

// valid has the members that CreateFunction's model requires.
const valid = `"FunctionName":"f","Role":"arn:aws:iam::123456789012:role/r","Code":{}`

func TestValidate(t *testing.T) {
	const at = " failed to satisfy constraint: "
	cases := map[string]struct {
		reason    string
		operation string
		query     string
		vars      map[string]string
		body      string
		want      []string
	}{
		"Nothing": {
			reason:    "What is valid is left alone, and so are members that the model does not know.",
			operation: "CreateFunction",
			body:      `{` + valid + `,"Later":{"Field":1}}`,
		},
		"Required": {
			reason:    "Members that are required may be neither absent nor null.",
			operation: "CreateFunction",
			body:      `{"Role":null}`,
			want: []string{
				"Value null at 'functionName'" + at + "Member must not be null",
				"Value null at 'role'" + at + "Member must not be null",
				"Value null at 'code'" + at + "Member must not be null",
			},
		},
		"Nested": {
			reason:    "A required member of a structure is missed only where there is the structure.",
			operation: "CreateFunction",
			body:      `{` + valid + `,"EphemeralStorage":{}}`,
			want:      []string{"Value null at 'ephemeralStorage.size'" + at + "Member must not be null"},
		},
		"Number": {
			reason:    "A number is held to its range.",
			operation: "UpdateFunctionConfiguration",
			vars:      map[string]string{"FunctionName": "f"},
			body:      `{"EphemeralStorage":{"Size":10241}}`,
			want: []string{"Value '10241' at 'ephemeralStorage.size'" + at +
				"Member must have value less than or equal to 10240"},
		},
		"ListAsAWhole": {
			reason:    "A list is reported as a whole, with all constraints of its elements.",
			operation: "UpdateFunctionCode",
			vars:      map[string]string{"FunctionName": "f"},
			body:      `{"Architectures":["ppc"]}`,
			want: []string{"Value '[ppc]' at 'architectures'" + at + "Member must satisfy constraint: [Member " +
				"must satisfy enum value set: [x86_64, arm64], Member must not be null]"},
		},
		"ListTooLong": {
			reason:    "A list's length is a constraint of the list.",
			operation: "UpdateFunctionCode",
			vars:      map[string]string{"FunctionName": "f"},
			body:      `{"Architectures":["x86_64","arm64"]}`,
			want: []string{"Value '[x86_64, arm64]' at 'architectures'" + at +
				"Member must have length less than or equal to 1"},
		},
		"ListOfStructures": {
			reason:    "A member of a listed structure is named by the structure's number.",
			operation: "UpdateFunctionConfiguration",
			vars:      map[string]string{"FunctionName": "f"},
			body: `{"FileSystemConfigs":[{"Arn":"arn:aws:elasticfilesystem:eu-west-1:123456789012:access-point/` +
				`fsap-0123456789abcdef0","LocalMountPath":"/srv/x"}]}`,
			want: []string{"Value '/srv/x' at 'fileSystemConfigs.1.member.localMountPath'" + at +
				"Member must satisfy regular expression pattern: /mnt/[a-zA-Z0-9-_.]+"},
		},
		"SecretMapKey": {
			reason:    "Names of environment variables are checked, and their values are not told.",
			operation: "UpdateFunctionConfiguration",
			vars:      map[string]string{"FunctionName": "f"},
			body:      `{"Environment":{"Variables":{"1BAD":"hush"}}}`,
			want: []string{"Value at 'environment.variables'" + at + "Map keys must satisfy constraint: [Member " +
				"must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+, Member must not be null]"},
		},
		"Acronym": {
			reason:    "Only the first letter of a member's name is made small.",
			operation: "UpdateFunctionConfiguration",
			vars:      map[string]string{"FunctionName": "f"},
			body:      `{"KMSKeyArn":"key"}`,
			want: []string{"Value 'key' at 'kMSKeyArn'" + at +
				`Member must satisfy regular expression pattern: (arn:(aws[a-zA-Z-]*)?:[a-z0-9-.]+:.*)|()`},
		},
		"LookBehind": {
			reason:    "A bucket's name may not end in a dot.",
			operation: "UpdateFunctionCode",
			vars:      map[string]string{"FunctionName": "f"},
			body:      `{"S3Bucket":"code.","S3Key":"k"}`,
			want: []string{"Value 'code.' at 's3Bucket'" + at +
				`Member must satisfy regular expression pattern: [0-9A-Za-z\.\-_]*(?<!\.)`},
		},
		"QueryNumber": {
			reason:    "Numbers in the query are held to their range too.",
			operation: "ListFunctions",
			query:     "MaxItems=0",
			want:      []string{"Value '0' at 'maxItems'" + at + "Member must have value greater than or equal to 1"},
		},
		"QueryList": {
			reason:    "A list in the query is null when it is not there.",
			operation: "UntagResource",
			vars:      map[string]string{"Resource": "arn:aws:lambda:eu-west-1:123456789012:function:f"},
			want:      []string{"Value null at 'tagKeys'" + at + "Member must not be null"},
		},
		"Path": {
			reason:    "Operations on functions only take no qualifier.",
			operation: "GetFunctionRecursionConfig",
			vars:      map[string]string{"FunctionName": "f:1"},
			want: []string{"Value 'f:1' at 'functionName'" + at +
				"Member must satisfy regular expression pattern: " + plainPattern},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			at := slices.IndexFunc(lambdaRoutes, func(r route) bool { return r.operation == tc.operation })
			r := &request{
				http: httptest.NewRequestWithContext(t.Context(), "POST", "/?"+tc.query, nil), body: []byte(tc.body),
				service: serviceLambda, operation: tc.operation, vars: tc.vars,
				input: lambdaRoutes[at].input, members: lambdaRoutes[at].members,
			}
			err := rejection(r.validate)
			if tc.want == nil {
				if err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			want := &Error{Status: 400, Code: "ValidationException", Message: (&validation{found: tc.want}).message()}
			got := &Error{}
			if !errors.As(err, &got) {
				t.Fatalf("%s: %v, want %v", tc.reason, err, want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestModelIsComplete compares the table of constraints with Lambda's model.
func TestModelIsComplete(t *testing.T) {
	for _, route := range lambdaRoutes {
		for _, m := range route.members {
			in := route.input
			for name := range strings.SplitSeq(m.path, ".") {
				plain, isList := strings.CutSuffix(name, "[]")
				if in.Type() == smithy.ShapeTypeMap {
					in = in.MapValue()
				} else {
					in = in.Member(wire(plain))
				}
				if in == nil {
					t.Errorf("%s has no member %s", route.operation, m.path)
					break
				}
				if isList {
					in = in.ListMember()
				}
			}
		}
	}
}

func TestEnvironmentIsMeasuredAsSent(t *testing.T) {
	large := strings.Repeat("x", maxEnvironment)
	r := &request{body: []byte(`{"Environment": {"Variables": {"SMALL_VAR": "ok", "LARGE_VAR": "` + large + `"}}}`)}
	want := invalidParameter("Lambda was unable to configure your environment variables because the environment "+
		"variables you have provided exceeded the 4KB limit. String measured: %s", `{"SMALL_VAR":"ok","LARGE_VAR":"`+
		large+`"}`)
	got := &Error{}
	if err := rejection(func() { checkEnvironment(r) }); !errors.As(err, &got) {
		t.Fatalf("checkEnvironment: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// rejection returns the error with which a function rejects a call.
func rejection(f func()) (err error) {
	defer rejected(&err)
	f()
	return nil
}
