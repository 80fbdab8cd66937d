package awserr

import "net/http"

// IsUnsupported reports whether the endpoint lacks the operation: it is an emulator, or a region
// that does not have it yet. It says nothing about the resource of the call.
func IsUnsupported(err error) bool {
	switch Code(err) {
	case "":
		return false
	case "UnknownOperationException", "UnknownOperation", "NotImplemented", "NotImplementedException":
		return true
	default:
		return StatusCode(err) == http.StatusNotImplemented || isUndetermined(Message(err))
	}
}

// isUndetermined reports whether Lambda denies a call because it does not know the operation.
func isUndetermined(message string) bool {
	return contains(message, "unable to determine service/operation name")
}
