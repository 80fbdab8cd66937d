package awserr

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMayPass(t *testing.T) {
	invalid := func(operation, message string) error {
		return answer("Lambda", operation, http.StatusBadRequest, "InvalidParameterValueException", message)
	}
	cases := map[string]struct {
		reason string
		err    error
		want   time.Duration
	}{
		"NewRole": {reason: "IAM takes up to a quarter of an hour.", err: invalid("CreateFunction",
			"The role defined for the function cannot be assumed by Lambda."), want: spreading},
		"NewImage": {
			reason: "A build pushes it in a moment.",
			err: invalid("UpdateFunctionCode", "Source image 1.dkr.ecr.eu-west-1.amazonaws.com/a:b does not exist. "+
				"Provide a valid source image."), want: creating,
		},
		"KeyAlias": {
			reason: "An alias never becomes a key, unlike a key whose grant cannot be made yet.",
			err: invalid("CreateFunction", "Lambda was unable to configure access to your environment variables because "+
				"the KMS key is invalid for CreateGrant. Please check your KMS key settings. KMS Exception: "+
				"InvalidArnException KMS Message: Key Aliases are not supported for this operation."),
		},
		"NewRoleOfAKey": {
			reason: "KMS does not know a new role either.",
			err: invalid("CreateFunction", "Lambda was unable to configure access to your environment variables because "+
				"the KMS key is invalid for CreateGrant. Please check your KMS key settings. KMS Exception: "+
				"InvalidArnException KMS Message: ARN does not refer to a valid principal: "+
				"arn:aws:sts::123456789012:assumed-role/r/f"), want: spreading,
		},
		"OtherCode": {
			reason: "The same message with another code has another meaning.",
			err: answer("Lambda", "GetLayerVersion", http.StatusNotFound, "ResourceNotFoundException",
				"Layer version arn:1 does not exist."),
		},
		"HalfOfIt": {
			reason: "All parts have to be there.",
			err:    invalid("CreateFunction", "Layer version arn:1 is too large"),
		},
		"Capacity": {
			reason: "Terraform tries whatever is wrong.",
			err:    invalid("CreateCapacityProvider", "Something is wrong."), want: creatingCapacity,
		},
		"NoCapacity": {
			reason: "Another operation's is the user's.",
			err:    invalid("UpdateCapacityProvider", "Something is wrong."),
		},
		"NotOfAWS": {reason: "What is not of AWS is not known.", err: errors.New("cannot be assumed by Lambda")},
		"Nil":      {reason: "No error is nothing."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, ok := MayPass(tc.err); got != tc.want || ok != (tc.want > 0) {
				t.Errorf("%s: want %s, got %s, %t", tc.reason, tc.want, got, ok)
			}
		})
	}
}

// TestPassingMessagesAreKnown checks that each entry has a time, and matches a response.
func TestPassingMessagesAreKnown(t *testing.T) {
	b, err := os.ReadFile("testdata/answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range passingMessages {
		if p.within == 0 {
			t.Errorf("%q has no time", p.parts)
		}
		found := false
		for row := range strings.Lines(strings.ToLower(string(b))) {
			has := true
			for _, part := range p.parts {
				has = has && strings.Contains(row, part)
			}
			found = found || has && strings.Contains(row, "\tmaypass\t")
		}
		if !found {
			t.Errorf("testdata/answers.tsv has no row for %q", p.parts)
		}
	}
}
