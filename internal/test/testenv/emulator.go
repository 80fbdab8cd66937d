package testenv

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// poll is the time between two polls of a resource that is up to date.
const poll = 10 * time.Minute

// An Answer replaces AWS's response by that of an emulator.
type Answer func(status int, body []byte) (int, []byte)

// Body returns an Answer that replaces the body of successful responses.
func Body(text string) Answer {
	return func(status int, body []byte) (int, []byte) {
		if status >= 300 { //nolint:mnd // Success is below.
			return status, body
		}
		return status, []byte(text)
	}
}

// Without returns an Answer that removes fields from successful responses, at any depth.
func Without(fields ...string) Answer {
	return edited(func(at map[string]any) {
		for _, f := range fields {
			delete(at, f)
		}
	})
}

// With returns an Answer that sets a field of successful responses, at any depth.
func With(field string, value any) Answer {
	return edited(func(at map[string]any) {
		if _, ok := at[field]; ok {
			at[field] = value
		}
	})
}

// Adding returns an Answer that adds a field to a block of successful responses.
func Adding(block, field string, value any) Answer {
	return edited(func(at map[string]any) {
		if b, ok := at[block].(map[string]any); ok {
			b[field] = value
		}
	})
}

// Refusal returns an Answer with an error.
func Refusal(status int, code string) Answer {
	return func(int, []byte) (int, []byte) {
		return status, fmt.Appendf(nil, `{"__type":%q,"message":"no such operation"}`, code)
	}
}

// edited returns an Answer that edits each object in successful responses.
func edited(edit func(map[string]any)) Answer {
	return func(status int, body []byte) (int, []byte) {
		var v any
		if status >= 300 || json.Unmarshal(body, &v) != nil { //nolint:mnd // As above.
			return status, body
		}
		walk(v, edit)
		b, _ := json.Marshal(v)
		return status, b
	}
}

func walk(v any, edit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		edit(v)
		for _, inner := range v {
			walk(inner, edit)
		}
	case []any:
		for _, inner := range v {
			walk(inner, edit)
		}
	}
}

// answering replaces the double's responses by those of an emulator. Lambda's client calls it for each operation.
func (w *AWS) answering(stack *middleware.Stack) error {
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("EmulatorResponses",
		func(ctx context.Context, in middleware.DeserializeInput,
			next middleware.DeserializeHandler,
		) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, md, err := next.HandleDeserialize(ctx, in)
			rsp, ok := out.RawResponse.(*smithyhttp.Response)
			answer := w.Responses[awsmiddleware.GetOperationName(ctx)]
			if err != nil || !ok || answer == nil {
				return out, md, err
			}
			body, err := io.ReadAll(rsp.Body)
			if err != nil {
				return out, md, err
			}
			was := body
			if rsp.StatusCode, body = answer(rsp.StatusCode, was); !bytes.Equal(was, body) {
				rsp.Header.Del("X-Amzn-Errortype")
			}
			rsp.Header.Set("Content-Length", strconv.Itoa(len(body)))
			rsp.Body, rsp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			return out, md, nil
		}), middleware.After)
}

// ReconcileForAnHour reconciles a resource for an hour as the provider does, whatever AWS returns: with backoff after
// errors, otherwise when a requeue is requested or when it is polled. writes are the calls that may change something in
// that time. In the end, the last error or else the Ready condition must contain message.
func (r *Env[T]) ReconcileForAnHour(mg T, responses map[string]Answer, writes []string, message string) {
	r.Helper()
	r.Responses = responses
	if at := mg.GetCreationTimestamp(); at.IsZero() {
		mg.SetCreationTimestamp(metav1.NewTime(r.Now()))
	}
	before, end := len(r.Operations()), r.Now().Add(time.Hour)
	last := r.until(mg, end)
	got := Writes(r.Operations()[before:])
	if diff := cmp.Diff(writes, got); diff != "" {
		r.Errorf("calls that change something: -want, +got:\n%s", diff)
	}
	if !strings.Contains(last, message) || message == "" && last != "" {
		r.Errorf("users are told %q, want %q", last, message)
	}
}

// until reconciles a resource until a time. It returns the last message to the user.
func (r *Env[T]) until(mg T, end time.Time) (message string) {
	r.Helper()
	for failures := 1; r.Now().Before(end); {
		o, t, err := r.reconcile(mg)
		wait := t.after
		switch {
		case err != nil:
			wait = backoff.Delay(backoff.Classify(err), failures)
			failures++
			message = err.Error()
		case t.aborted, t.after > 0:
		case slices.Contains([]Outcome{Converged, Waits, Absent}, o):
			wait = poll
		case o == Gone:
			return ""
		default:
			wait = time.Second
		}
		if err == nil && !t.aborted {
			failures, message = 1, mg.GetCondition(xpv2.TypeReady).Message
		}
		r.Advance(max(wait, time.Second))
	}
	return message
}

// ChangeOwner has someone else take over a resource's external resource by its tags, half an hour after it was last
// observed, and then edit it. Nothing may be changed back: tags of that age are read again before any call that
// changes something.
func (r *Env[T]) ChangeOwner(mg T, arn func() *string, edit func()) {
	r.Helper()
	r.Converge(mg)
	r.Poll(mg)
	r.Advance(ownerTagAge)
	tags := map[string]string{
		ownership.TagUID: "uid-of-another", ownership.TagCluster: Cluster,
		ownership.TagNamespace: "elsewhere", ownership.TagName: "another",
	}
	_, err := r.Lambda.TagResource(r.Context(), &lambda.TagResourceInput{Resource: arn(), Tags: tags})
	r.Must(err)
	edit()
	before := len(r.Operations())
	for range maxReconciles {
		r.Advance(time.Second)
		if _, err = r.Do(mg); err != nil {
			break
		}
	}
	if !ownership.IsForeign(err) {
		r.Errorf("want that it is told whose it is, got %v", err)
	}
	if got := Writes(r.Operations()[before:]); len(got) != 0 {
		r.Errorf("another's thing was changed: %v", got)
	}
}

// ownerTagAge is the age of the cached tags by then, which an observation still accepts.
const ownerTagAge = 30 * time.Minute

// WrongNotFound reports wrongly, to so many calls of the operation that reads a resource, that it does not exist. It
// checks that nothing is written meanwhile, that a resource that is being deleted keeps its finalizer, and returns the
// writes after that.
func (r *Env[T]) WrongNotFound(mg T, read string, times int) []string {
	r.Helper()
	r.Advance(time.Hour)
	mg.SetFinalizers([]string{managed.FinalizerName})
	before := len(r.Operations())
	r.Double.Fail(awsdouble.Fault{
		Operation: read, Times: times,
		Answer: Refusal(http.StatusNotFound, "ResourceNotFoundException"),
	})
	for range times {
		_, err := r.Do(mg)
		r.Must(err)
		if got := Writes(r.Operations()[before:]); len(got) != 0 || len(mg.GetFinalizers()) == 0 {
			r.Fatalf("AWS reports wrongly that the resource does not exist: calls %v, finalizers %v", got,
				mg.GetFinalizers())
		}
		after := r.Done.After
		if r.Done.Later != nil {
			after = r.Done.Later.After
		}
		r.Advance(after) // By then AWS is asked again.
	}
	before = len(r.Operations())
	_, err := r.Do(mg)
	r.Must(err)
	if len(mg.GetFinalizers()) > 0 {
		r.Converge(mg)
	}
	return Writes(r.Operations()[before:])
}
