package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// maxPayload is the longest response of a function that an expectation is evaluated on, in bytes.
const maxPayload = 1 << 20

// defaultExpectation is the expectation of a smoke test without one.
const defaultExpectation = `functionError == ""`

// ExpectInvocation reports whether the response of a function meets the expectation of a smoke
// test. It makes no request. The message does not quote the payload. Something that the expression
// needs and the response lacks is a Failure; an expression that is not valid is an Error.
func ExpectInvocation(test *v1beta1.RolloutSmokeTest, payload []byte, functionError string, statusCode int32,
	duration time.Duration,
) rollout.Measurement {
	id := rollout.CheckID{Type: rollout.CheckPreTraffic, Name: test.Name}
	field := fmt.Sprintf("spec.rollout.preTraffic[%s].invoke.expect", test.Name)
	text := ptr.Deref(test.Invoke.Expect, defaultExpectation)
	c, err := compile(invocation, text)
	if err != nil {
		return measured(id, rollout.Error, "", "%s is not valid: %v", field, err)
	}
	values := map[string]any{
		varFunctionError: functionError, varStatusCode: int64(statusCode),
		varDurationMillis: duration.Milliseconds(),
	}
	if c.uses[varPayload] {
		if len(payload) > maxPayload {
			return measured(id, rollout.Error, "", //nolint:mnd // KiB.
				"%s cannot be evaluated: the response has more than %d KiB", field, maxPayload>>10)
		}
		values[varPayload] = parsePayload(payload)
	}
	value := fmt.Sprintf("%d ms", duration.Milliseconds())
	v, err := c.evaluate(context.Background(), values)
	switch {
	case errors.Is(err, errCost), err == nil && v == unknown:
		return measured(id, rollout.Error, value, "%s cannot be evaluated: %v", field, errCost)
	case err != nil:
		return measured(id, rollout.Failure, value, "%s%s %v", ended(functionError), field, err)
	case v == met:
		return measured(id, rollout.Success, value, "")
	default:
		return measured(id, rollout.Failure, value, "%sexpect is not met: %s", ended(functionError), text)
	}
}

// parsePayload returns a response parsed if it is JSON, else as a string.
func parsePayload(payload []byte) any {
	var v any
	if json.Unmarshal(payload, &v) == nil {
		return v
	}
	return strings.ToValidUTF8(string(payload), "\uFFFD")
}

func ended(functionError string) string {
	switch functionError {
	case "":
		return ""
	case "Handled", "Unhandled":
		return "the function returned an error (" + functionError + "): "
	default:
		return "the function returned an error: "
	}
}
