// Package dryrun answers the calls of AWS's clients without making those that change something.
//
// An Account records calls that change something, and remembers their effect: a later read returns what AWS would
// return after them. Other reads are answered by AWS, or, if the Account is offline, as if the account were empty. So
// the code that reconciles a resource can be run to find out what it would do.
//
// What AWS makes up, such as an ID, is replaced by a placeholder: see Mask.
package dryrun

import (
	"context"
	"errors"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// Session returns a session whose clients' calls are answered by the account. What the given session has cached is not
// used.
func (a *Account) Session(s *session.Session) *session.Session { return s.Derive(a.addTo) }

// Offline returns a session that is not connected to AWS, for an Account that is not Live.
func (a *Account) Offline() *session.Session {
	s := &session.Session{
		AWS:       aws.Config{Region: a.base.Region, Credentials: aws.AnonymousCredentials{}, HTTPClient: noNetwork{}},
		Partition: a.base.Partition,
		Identity:  session.Identity{Account: a.base.ID},
	}
	s.Scope.Account, s.Scope.Region = a.base.ID, a.base.Region
	return a.Session(s)
}

// noNetwork is a client that sends no request.
type noNetwork struct{}

// Do returns an error.
func (noNetwork) Do(*http.Request) (*http.Response, error) { return nil, errOffline }

// errOffline is the error of a request to AWS without a connection. No middleware lets one through.
var errOffline = errors.New("the plan is made without a connection to AWS")

// addTo adds the middleware that answers calls to the stack of an operation.
func (a *Account) addTo(stack *middleware.Stack) error {
	operation := stack.ID()
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("DryRun",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			out middleware.InitializeOutput, md middleware.Metadata, err error,
		) {
			out.Result, err = a.answer(operation, in.Parameters, func(parameters any) (any, error) {
				if !a.base.Live {
					return nil, offline(operation)
				}
				in.Parameters = parameters
				o, m, err := next.HandleInitialize(ctx, in)
				md = m
				return o.Result, err
			})
			return out, md, err
		}), middleware.Before)
}

// offline returns the error of a read that only AWS can answer.
func offline(operation string) error {
	code := "ResourceNotFoundException"
	if operation == "HeadObject" || operation == "GetObject" {
		code = "AccessDenied" // What cannot be read counts as unchanged.
	}
	return &smithy.GenericAPIError{Code: code, Message: "it is not known without a connection to AWS"}
}

// answer answers a call. live makes it.
func (a *Account) answer(operation string, in any, live func(in any) (any, error)) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.record != nil {
		a.record(Request{
			Service: path.Base(reflect.TypeOf(in).Elem().PkgPath()), Operation: operation,
			Region: a.base.Region, Input: in,
		})
	}
	if IsRead(operation) {
		in = a.resolved(in)
		return a.read(in, func() (any, error) { return live(in) })
	}
	a.calls = append(a.calls, Call{Operation: operation, On: nameOf(in)})
	return a.write(in)
}

// resolved returns an input as it is, or with the version of an alias that was changed instead of the alias.
func (a *Account) resolved(in any) any {
	c, ok := in.(*lambda.GetFunctionConfigurationInput)
	if !ok {
		return in
	}
	v, _ := a.state.aliases.known(key(c.FunctionName, c.Qualifier))
	if v == nil {
		return in
	}
	c = clone(c)
	c.Qualifier = v.FunctionVersion
	return c
}

// IsRead reports whether an operation changes nothing. One that is not known counts as if it did.
func IsRead(operation string) bool {
	return slices.ContainsFunc([]string{"Get", "List", "Head", "Describe", "BatchGet"}, func(verb string) bool {
		return strings.HasPrefix(operation, verb)
	})
}

// nameOf returns what a call changes, by the members of its input.
func nameOf(in any) string {
	v := reflect.Indirect(reflect.ValueOf(in))
	var parts []string
	for _, member := range []string{
		"FunctionName", "LayerName", "CapacityProviderName", "UUID", "CodeSigningConfigArn",
		"Resource", "ResourceArn", "Name", "Qualifier", "VersionNumber", "StatementId", "Bucket", "Key",
	} {
		if member == "CodeSigningConfigArn" && len(parts) > 0 {
			continue // It is a setting of a function.
		}
		f := reflect.Indirect(v.FieldByName(member))
		switch {
		case !f.IsValid():
		case f.Kind() == reflect.String && f.String() != "":
			parts = append(parts, f.String())
		case f.Kind() == reflect.Int64:
			parts = append(parts, itoa(f.Int()))
		}
	}
	return strings.Join(parts, ":")
}
