package awsdouble

import (
	"cmp"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Limits are an account's limits of Lambda in a region. A limit of 0 is AWS's default.
type Limits struct {
	// ConcurrentExecutions is the number of executions that may run at a time. Default: 1000.
	ConcurrentExecutions int32
	// MinUnreserved is the number of these that cannot be reserved. Default: 100, as in most accounts; new accounts
	// have less of both.
	MinUnreserved int32
	// TotalCodeSize is the maximum total size of the code of all versions and layers, in bytes. Default: 75 GiB.
	TotalCodeSize int64
}

func (l Limits) orDefaults() Limits {
	return Limits{
		ConcurrentExecutions: cmp.Or(l.ConcurrentExecutions, 1000),
		MinUnreserved:        cmp.Or(l.MinUnreserved, 100),
		TotalCodeSize:        cmp.Or(l.TotalCodeSize, 75<<30),
	}
}

func getAccountSettings(_ *Server, r *request) any {
	h := r.home
	return map[string]any{
		"AccountLimit": types.AccountLimit{
			CodeSizeUnzipped: maxUnzipped, CodeSizeZipped: maxZip, TotalCodeSize: h.limits.TotalCodeSize,
			ConcurrentExecutions:           h.limits.ConcurrentExecutions,
			UnreservedConcurrentExecutions: aws.Int32(h.limits.ConcurrentExecutions - h.reserved(nil)),
		},
		"AccountUsage": types.AccountUsage{FunctionCount: int64(len(h.functions)), TotalCodeSize: h.stored()},
	}
}

// stored returns the total size of the code of all versions and layers, in bytes. Images are stored in registries and
// have a size of 0.
func (h *home) stored() int64 {
	total := int64(0)
	for _, f := range h.functions {
		total += f.latest.CodeSize
		for _, v := range f.versions {
			total += v.CodeSize
		}
	}
	for _, l := range h.layers {
		for _, v := range l.versions {
			total += v.Content.CodeSize
		}
	}
	return total
}

// checkStorage rejects code of a size, in bytes, that exceeds the account's remaining storage without the size of the
// code that it replaces. It sums up all code only when it may exceed the storage, because a test may have many
// functions.
func (h *home) checkStorage(size, replaced int64) {
	const copies = 2 // The code of a function, and of the version that the same call may publish.
	h.storedAtMost += copies * size
	if h.storedAtMost <= h.limits.TotalCodeSize {
		return
	}
	stored := h.stored()
	h.storedAtMost = stored + copies*size
	if stored+size-replaced <= h.limits.TotalCodeSize {
		return
	}
	panic(apiError(http.StatusBadRequest, "CodeStorageExceededException", "Code storage limit exceeded."))
}
