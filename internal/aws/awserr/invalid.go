package awserr

import "slices"

// invalid has the codes with which CloudWatch rejects the input of a call.
var invalid = []string{
	"ValidationError", "ValidationException", "InvalidParameterCombination", "InvalidParameterCombinationException",
	"InvalidParameterInput", "InvalidParameterValue", "InvalidParameterValueException", "MissingParameter",
	"MissingRequiredParameterException", "InvalidFormat", "InvalidFormatFault",
}

// IsInvalidQuery reports whether CloudWatch rejected the queries of a call. One wrong query is
// enough.
func IsInvalidQuery(err error) bool { return slices.Contains(invalid, Code(err)) }
