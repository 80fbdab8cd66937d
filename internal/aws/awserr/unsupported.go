package awserr

import "net/http"

// IsUnsupported says that the endpoint lacks the operation: an emulator, or a region
// that does not have it yet. It says nothing about the thing that was asked about.
func IsUnsupported(err error) bool {
	switch Code(err) {
	case "":
		return false
	case "UnknownOperationException", "UnknownOperation", "NotImplemented", "NotImplementedException":
		return true
	default:
		return StatusCode(err) == http.StatusNotImplemented
	}
}
