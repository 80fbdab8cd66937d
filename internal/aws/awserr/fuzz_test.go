package awserr

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// canary is a value that a response quotes from a request.
const canary = "hunter2canary"

// longest is the maximum length of a sanitized error in characters.
const longest = 2000

// ids are the IDs of two attempts of the same call.
var ids = []string{"0c1b2a39-4857-4669-8574-839201abcdef", "ffffffff-1111-4222-8333-444444444444"}

// FuzzSanitize checks that a sanitized error is the same at each attempt, short, and quotes neither a
// value of the request nor an ID, whatever AWS answers.
func FuzzSanitize(f *testing.F) {
	for _, s := range []struct{ code, message string }{
		{
			"ResourceNotFoundException",
			"Function not found: arn:aws:lambda:eu-central-1:111111111111:function:f:$LATEST",
		},
		{
			"InvalidParameterValueException",
			"The derived qualifier from the function name does not match the specified qualifier.",
		},
		{"ResourceNotFoundException", "Functions from 'us-east-1' are not reachable in this region ('eu-central-1')"},
		{"ValidationException", "2 validation errors detected: Value '{A={v}}' at 'environment.variables' failed to " +
			"satisfy constraint: Member must have length less than or equal to 5; Value '{v}' at 'handler' failed to " +
			"satisfy constraint: Member must not be null"},
		{"ValidationException", "1 validation error detected: Value '{v}' at 'functionName' failed to satisfy " +
			"constraint: Member must satisfy regular expression pattern: [a-z]+"},
		{"InvalidParameterValueException", "exceeded the 4KB limit. String measured: {\"PASSWORD\":\"{v}\"}"},
		{"InvalidRequestContentException", "Could not parse request body into json: Unrecognized token '{v}': was " +
			"expecting ('true', 'false' or 'null')\n at [Source: (byte[])\"{v}\"; line: 1, column: 8]"},
		{"AccessDeniedException", "User: arn:aws:sts::111111111111:assumed-role/p/s is not authorized to perform: " +
			"lambda:GetFunction on resource: arn:aws:lambda:eu-central-1:111111111111:function:f because no " +
			"identity-based policy allows the lambda:GetFunction action"},
		{
			"UnauthorizedOperation",
			"You are not authorized to perform this operation. Encoded authorization failure message: {v}",
		},
		{"ServiceException", "Oops. RequestId: {id} (Service: Lambda, Status Code: 500, Request ID: {id}, Extended " +
			"Request ID: {id}) at https://u:{v}@example.org/x?y={v}"},
		{"", ""},
		{"X\xff", "\xff\xfe"},
		{strings.Repeat("Code", 1000), strings.Repeat("ü", 1000)},
		{"ExpiredToken", "{v}"},
		{"IncompleteSignature", "Credential must have exactly 5 slash-delimited elements, got '{v}'"},
	} {
		f.Add(s.code, s.message, uint8(0))
		f.Add(s.code, s.message, uint8(5))
	}
	f.Fuzz(func(t *testing.T, code, message string, kind uint8) {
		var messageParts []string
		for _, id := range ids {
			err := made(code, quoting(message, id), kind)
			got := Sanitize(err)
			messageParts = append(messageParts, got.Error())
			if !errors.Is(got, err) {
				t.Error("the error that was sanitized is lost")
			}
			if again := Sanitize(got); again.Error() != got.Error() {
				t.Errorf("%q, sanitized twice, is %q", got, again)
			}
			if scrub(scrub(message)) != scrub(message) {
				t.Errorf("%q, scrubbed twice, is %q, and before %q", message, scrub(scrub(message)), scrub(message))
			}
			classes(err)
			Field(err)
		}
		if messageParts[0] != messageParts[1] {
			t.Errorf("at each try, it is another: %q, then %q", messageParts[0], messageParts[1])
		}
		if !utf8.ValidString(messageParts[0]) || utf8.RuneCountInString(messageParts[0]) > longest {
			t.Errorf("%d characters: %q", utf8.RuneCountInString(messageParts[0]), messageParts[0])
		}
		if strings.Contains(messageParts[0], ids[0]) || strings.Contains(messageParts[0], canary) {
			t.Errorf("it quotes: %q", messageParts[0])
		}
		if e := Foreign("Lambda", made(code, message, kind)); e != nil {
			classes(e)
		}
	})
}

// quoting returns a message with values of the request and an ID in the places where AWS has them.
func quoting(message, id string) string {
	message = strings.NewReplacer(canary, "", ids[0], "", ids[1], "").Replace(message)
	for _, at := range []string{
		"Request ID: {id}", "RequestId: {id}",
		"Value '{v}' at 'handler' failed to satisfy constraint: ", "String measured: {v}", "https://{v}/",
		"Unrecognized token '{v}': was expecting", "at [Source: {v}",
	} {
		filled := strings.NewReplacer("{id}", id, "{v}", canary).Replace(at)
		message = strings.ReplaceAll(message, at, filled)
	}
	return message
}

// made returns the SDK's error for one of several operations, wrapped or not.
func made(code, message string, kind uint8) error {
	statuses := []int{400, 403, 404, 409, 429, 500}
	ops := [][2]string{{"Lambda", "GetFunction"}, {"S3", "HeadObject"}, {"STS", "AssumeRole"}}
	op := ops[int(kind/8)%len(ops)]
	err := answer(op[0], op[1], statuses[int(kind)%len(statuses)], code, message)
	switch kind / 64 {
	case 1:
		return fmt.Errorf("cannot do it: %w", err)
	case 2:
		return errors.Unwrap(errors.Unwrap(err))
	case 3:
		return answer("Lambda", "GetFunction", 0, code, message)
	}
	return err
}
