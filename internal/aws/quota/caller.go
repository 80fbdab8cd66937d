package quota

import (
	"context"
	"strings"
)

// A Scope is the account and region by which AWS counts requests. Only accounts that AWS itself has
// named are shared by several configs: a config that could claim the account of another could
// exhaust its quota, or pause it by answering with throttles.
type Scope struct {
	// Account is the AWS account ID, or Unverified.
	Account string
	// Region such as eu-west-1.
	Region string
	// Config is the UID of the config if the account is unverified, so that no other config shares the scope.
	Config string
	// Endpoint is the URL that named the account, if an administrator's config has one of its own.
	// It is empty for AWS's STS.
	Endpoint string
}

// Unverified stands for an account ID that AWS has not confirmed.
const Unverified = "unverified"

// String returns a text that differs between scopes.
func (s Scope) String() string {
	return strings.Join([]string{s.Account, s.Region, s.Config, s.Endpoint}, "/")
}

// A Priority ranks the callers that wait.
type Priority int

// The priorities. A user's change goes before a poll for drift. Polls have a small share nevertheless.
const (
	Poll Priority = iota
	User
)

// A Caller is a managed resource that makes calls.
type Caller struct {
	// ID is the UID of the resource.
	ID string
	// Tenant is the namespace of the resource. Tenants that wait in a scope have equal shares of its rate.
	Tenant string
	// Priority is the priority of its calls.
	Priority Priority
}

type callerKey struct{}

// WithCaller returns a context whose calls use the reservations of a caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerFrom returns the caller of a context, and false if it has none.
func callerFrom(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
