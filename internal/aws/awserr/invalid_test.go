package awserr

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/smithy-go"
)

func TestIsInvalidQuery(t *testing.T) {
	for code, want := range map[string]bool{
		"ValidationError": true, "InvalidParameterValue": true, "InvalidParameterCombinationException": true,
		"Throttling": false, "InternalServiceFault": false, "InternalServiceError": false, "AccessDenied": false,
		"ExpiredToken": false, "UnknownOperationException": false,
	} {
		err := fmt.Errorf("cannot read: %w", Clean(&smithy.OperationError{ServiceID: "CloudWatch", OperationName: "GetMetricData", Err: &smithy.GenericAPIError{Code: code}}))
		if got := IsInvalidQuery(err); got != want {
			t.Errorf("IsInvalidQuery(%s) = %v, want %v", code, got, want)
		}
		if transient := code == "Throttling" || code == "InternalServiceFault" || code == "InternalServiceError"; IsTransient(err) != transient {
			t.Errorf("IsTransient(%s) = %v", code, !transient)
		}
	}
	if IsInvalidQuery(nil) || IsInvalidQuery(errors.New("x")) {
		t.Error("what AWS has not answered is no rejected query")
	}
}
