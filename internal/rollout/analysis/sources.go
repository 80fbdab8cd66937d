package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	prometheusv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// errNoValue says that a source has answered that it has no value.
var errNoValue = errors.New("has no value")

func (a *Analyzer) web(ctx context.Context, namespace string, m *v1beta1.WebMetric, target string) (any, error) {
	r, err := a.requester(ctx, namespace, m.BearerTokenSecretRef, maxBody)
	if err != nil {
		return nil, err
	}
	res, err := r.get(ctx, target)
	if err != nil {
		return nil, sourceError(target, explain(err))
	}
	defer func() { _ = res.Body.Close() }() // It was read, or is not needed.
	switch {
	case res.StatusCode == http.StatusNotFound:
		return nil, sourceError(target, fmt.Errorf("the server %w: it answered with HTTP status 404", errNoValue))
	case !isSuccess(res.StatusCode):
		return nil, sourceError(target, fmt.Errorf("the server answered with HTTP status %d", res.StatusCode))
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, sourceError(target, explain(err))
	}
	var v any
	if json.Unmarshal(body, &v) != nil {
		return nil, sourceError(target, errors.New("the response is not JSON"))
	}
	return v, nil
}

func (a *Analyzer) prometheus(ctx context.Context, namespace string, m *v1beta1.PrometheusMetric,
	query string,
) (any, error) {
	r, err := a.requester(ctx, namespace, m.BearerTokenSecretRef, maxPrometheusBody)
	if err != nil {
		return nil, err
	}
	c, err := api.NewClient(api.Config{Address: m.Address, Client: r.client()})
	if err != nil {
		return nil, sourceError(m.Address, egress.ErrURL)
	}
	last := &answer{Client: c}
	// Without a time, the server evaluates the query at its own.
	v, warnings, err := prometheusv1.NewAPI(last).Query(ctx, query, time.Time{},
		prometheusv1.WithTimeout(requestTimeout))
	switch {
	case err != nil:
		return nil, sourceError(m.Address, prometheusError(err, last))
	case isPartial(warnings, last.body):
		return nil, sourceError(m.Address, errPartial)
	}
	n, err := onlyElement(v, last.body)
	if err != nil {
		return nil, sourceError(m.Address, err)
	}
	return n, nil
}

// An answer is a client of Prometheus that keeps the status and the body of the last response that it has read.
type answer struct {
	api.Client

	status int
	body   []byte
}

// Do sends a request.
func (a *answer) Do(ctx context.Context, req *http.Request) (*http.Response, []byte, error) {
	res, body, err := a.Client.Do(ctx, req)
	if err == nil {
		a.status, a.body = res.StatusCode, body
	}
	return res, body, err
}

// errPartial is the error of an answer that may lack data.
var errPartial = errors.New("the server has answered with a part of the data: a server behind it does not answer")

// isPartial reports whether a server may not have had all data: VictoriaMetrics says so in the body, Thanos and the
// remote read of Prometheus in a warning. Warnings that begin with PromQL are about the query.
func isPartial(warnings prometheusv1.Warnings, body []byte) bool {
	var v struct {
		IsPartial bool `json:"isPartial"`
	}
	return slices.ContainsFunc(warnings, func(w string) bool { return !strings.HasPrefix(w, "PromQL ") }) ||
		json.Unmarshal(body, &v) == nil && v.IsPartial
}

// hasValue reports whether the first element of a vector has a value. The library reads one without as zero.
func hasValue(body []byte) bool {
	var v struct {
		Data struct {
			Result []struct {
				Value []any `json:"value"`
			} `json:"result"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &v) != nil || len(v.Data.Result) == 0 {
		return false
	}
	value := v.Data.Result[0].Value
	return len(value) > 1 && value[1] != nil
}

// onlyElement returns the number that is the result of a query, of which v is read from the body of the response.
func onlyElement(v model.Value, body []byte) (float64, error) {
	switch v := v.(type) {
	case *model.Scalar:
		return float64(v.Value), nil
	case model.Vector:
		switch {
		case len(v) == 0 || v[0] == nil:
			return 0, fmt.Errorf("the query %w: its result is empty", errNoValue)
		case len(v) > 1:
			return 0, fmt.Errorf("the result of the query has %d elements: aggregate it to one, such as with sum()",
				len(v))
		case v[0].Histogram != nil:
			return 0, errors.New(
				"the result of the query is a histogram: calculate a number from it, such as with histogram_quantile()")
		case !hasValue(body):
			return 0, fmt.Errorf("the query %w: the element of its result has none", errNoValue)
		}
		return float64(v[0].Value), nil
	default:
		return 0, errors.New("the result of the query is neither a scalar nor an instant vector")
	}
}

// prometheusError returns an error of a query without what the server has answered. The body of last is nil if no
// response was read.
func prometheusError(err error, last *answer) error {
	e, ok := errors.AsType[*prometheusv1.Error](err)
	switch {
	case !ok && last.body == nil:
		return explain(err)
	case !ok:
		e = &prometheusv1.Error{Type: prometheusv1.ErrBadResponse}
	}
	switch e.Type {
	case prometheusv1.ErrBadData:
		return errors.New("Prometheus rejects the query: check its syntax") //nolint:staticcheck // A name.
	case prometheusv1.ErrExec:
		return errors.New("Prometheus cannot evaluate the query") //nolint:staticcheck // A name.
	case prometheusv1.ErrTimeout, prometheusv1.ErrCanceled:
		return errors.New("Prometheus did not evaluate the query in time") //nolint:staticcheck // A name.
	case prometheusv1.ErrServer, prometheusv1.ErrClient:
		advice := ""
		if e.Type == prometheusv1.ErrClient && last.status != http.StatusTooManyRequests {
			advice = ": check address and bearerTokenSecretRef"
		}
		return fmt.Errorf("the server answered with HTTP status %d%s", last.status, advice)
	default:
		return errors.New("the server does not answer as Prometheus does")
	}
}

// sourceError returns an error of a source with the source's host.
func sourceError(target string, err error) error {
	if _, ok := errors.AsType[*egress.HostError](err); ok {
		return err
	}
	return fmt.Errorf("cannot read %s: %w", hostOf(target), err)
}

// requester returns a requester with the token of a Secret, if one is named.
func (a *Analyzer) requester(ctx context.Context, namespace string, token *v1beta1.KeySelector,
	limit int64,
) (requester, error) {
	r := requester{hosts: a.hosts, transport: a.transport, limit: limit}
	if token == nil {
		return r, nil
	}
	ref := refs.ObjectRef{Kind: refs.Secret, Namespace: namespace, Name: token.Name}
	value, err := refs.Value(ctx, a.options.Secrets, ref, token.Key)
	switch {
	case refs.IsMissing(err) && ptr.Deref(token.Optional, false):
		return r, nil
	case err != nil:
		return r, fmt.Errorf("cannot read the bearer token: %w", err)
	}
	r.token = strings.TrimSpace(string(value))
	if r.token == "" || strings.ContainsFunc(r.token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return r, fmt.Errorf("key %s of Secret %s is not a bearer token: it is empty, or has other characters than "+
			"visible ASCII ones", token.Key, token.Name)
	}
	return r, nil
}
