package testenv

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// fuzzed is the number of reconciles of a fuzzed resource, and again after it was deleted.
	fuzzed = 8

	// longest is the maximum length of a message to users.
	longest = 2000
)

// Fuzz reconciles a resource that is edited by a fuzzer, within the schema of its CustomResourceDefinition, while AWS's
// responses are edited too. Of its CEL rules, only patterns are respected. Nothing may panic; messages to users are
// short and contain no secret; and if AWS's responses are unedited, each call has all members that the SDK requires.
func Fuzz[T reconcile.Managed](f *testing.F, crd string, newCase func(testing.TB) (*Env[T], T)) {
	f.Helper()
	schema := forProvider(f, crd)
	for _, spec := range []string{"", "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"} {
		for _, answers := range []string{
			"", "\x01\x00\x00\x05\x05\x05\x05\x01\x02\x03\x04",
			"\x00\x02\x04\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01", "\x00\x03\x02",
		} {
			f.Add([]byte(spec), []byte(answers))
		}
	}
	f.Fuzz(func(t *testing.T, spec, answers []byte) {
		r, mg := newCase(t)
		if !respecified(t, mg, schema, NewDraws(spec)) {
			return
		}
		r.draws = NewDraws(answers)
		for range fuzzed {
			r.fuzz(mg, len(answers) == 0)
		}
		r.Remove(mg)
		for range fuzzed {
			r.fuzz(mg, len(answers) == 0)
		}
	})
}

// fuzz does one reconcile of a resource, which may fail.
func (r *Env[T]) fuzz(mg T, unedited bool) {
	r.Helper()
	r.Advance(30 * time.Second) //nolint:mnd // Things in motion come to rest.
	_, t, err := r.reconcile(mg)
	if err != nil {
		err = awserr.Sanitize(err) // As the runtime does.
		r.checkMessage("error", err.Error())
	}
	var invalid smithy.InvalidParamsError
	if unedited && errors.As(err, &invalid) && !slices.ContainsFunc(assured,
		func(field string) bool { return strings.Contains(invalid.Error(), field) }) {
		r.Errorf("a call lacks what the SDK asks for: %v", err)
	}
	for _, e := range t.events {
		r.checkMessage("event "+string(e.Reason), e.Message)
	}
	r.checkMessage("summary", t.summary)
	b, err := json.Marshal(mg)
	r.Must(err)
	var written struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Status json.RawMessage `json:"status"`
	}
	r.Must(json.Unmarshal(b, &written))
	r.checkNoSecret("status", string(written.Status))
	for k, v := range written.Metadata.Annotations {
		r.checkNoSecret("annotation "+k, v)
	}
	for _, c := range []xpv2.ConditionType{xpv2.TypeReady, xpv2.TypeSynced} {
		r.checkMessage("condition "+string(c), mg.GetCondition(c).Message)
	}
}

// assured are fields that a schema does not require: CEL does, or a reference is resolved before.
var assured = []string{"CapacityProviderArn", "HeadObjectInput.Bucket", "GetObjectInput.Bucket"}

// checkMessage checks a message to users.
func (r *Env[T]) checkMessage(where, what string) {
	r.Helper()
	r.checkNoSecret(where, what)
	if !utf8.ValidString(what) {
		r.Errorf("%s is no UTF-8: %q", where, what)
	}
	if len(what) > longest {
		r.Errorf("%s has %d bytes: %s", where, len(what), what)
	}
}

func (r *Env[T]) checkNoSecret(where, what string) {
	r.Helper()
	if strings.Contains(what, Canary) {
		r.Errorf("%s has a secret: %s", where, what)
	}
}

// errorsOf are errors of AWS, and others.
var errorsOf = []struct {
	status        int
	code, message string
}{
	{404, "ResourceNotFoundException", "Resource not found"},
	{409, "ResourceConflictException", "The operation cannot be performed at this time"},
	{409, "ResourceConflictException", "The resource already exists"},
	{409, "ResourceInUseException", "in use"},
	{412, "PreconditionFailedException", "The revision id does not match"},
	{429, "TooManyRequestsException", "Rate exceeded"},
	{400, "InvalidParameterValueException", "Value '" + Canary +
		"' at 'environment' failed to satisfy constraint: Member must not be null"},
	{400, "ValidationException", "1 validation error detected: Value '{A=" + Canary +
		"}' at 'environment.variables' failed to satisfy constraint: Member must have length less than or equal to 5"},
	{403, "AccessDeniedException", "User: u is not authorized to perform: lambda:GetFunction on resource: r"},
	{404, "ProvisionedConcurrencyConfigNotFoundException", "none"},
	{500, "ServiceException", strings.Repeat("long ", 1000)},
	{0, "", ""},
}

// fuzzing passes the inputs of calls of Lambda to OnCall, responds from the script if there is one, and edits the
// responses.
func (w *AWS) fuzzing(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Fuzzing",
		func(ctx context.Context, in middleware.InitializeInput,
			next middleware.InitializeHandler,
		) (middleware.InitializeOutput, middleware.Metadata, error) {
			if w.OnCall != nil {
				w.OnCall(in.Parameters)
			}
			if w.Script != nil {
				return w.scripted(awsmiddleware.GetOperationName(ctx), in.Parameters)
			}
			out, md, err := next.HandleInitialize(ctx, in)
			if w.draws == nil || w.draws.Over() {
				return out, md, err
			}
			out.Result, err = w.draws.answer(awsmiddleware.GetOperationName(ctx), out.Result, err)
			return out, md, err
		}), middleware.Before)
}

// scripted returns the script's response to a call, or fails the test if it has none.
func (w *AWS) scripted(operation string, in any) (out middleware.InitializeOutput, md middleware.Metadata, err error) {
	w.Helper()
	w.scriptedCalls = append(w.scriptedCalls, operation)
	answer := w.Script[operation]
	if answer == nil {
		w.Errorf("unexpected call of %s", operation)
		return out, md, APIError(501, "NotScripted", operation)
	}
	out.Result, err = answer(in)
	return out, md, err
}

// answer returns a response that replaces the real one: the same, an edited one, another one, or an error.
func (d *Draws) answer(operation string, was any, err error) (any, error) {
	switch d.N(4) {
	case 1:
		if err == nil {
			d.edit(reflect.ValueOf(was).Elem(), false)
		}
		return was, err
	case 2: //nolint:mnd // Another one.
		method, ok := reflect.TypeFor[*lambda.Client]().MethodByName(operation)
		if !ok {
			return was, err
		}
		out := reflect.New(method.Type.Out(0).Elem())
		d.fillStruct(out.Elem())
		return out.Interface(), nil
	case 3: //nolint:mnd // An error.
		e := errorsOf[d.N(len(errorsOf))]
		return nil, APIError(e.status, e.code, e.message)
	}
	return was, err
}
