package analysis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

var subject = rollout.Subject{
	Namespace: "shop", Function: "checkout", Alias: "live", Stable: "7", Target: "8",
	Weighted: true,
}

// secrets are keys of Secrets by namespace/name/key.
type secrets map[string]string

func (s secrets) Get(_ context.Context, ref refs.ObjectRef) (refs.ObjectData, error) {
	data := refs.ObjectData{}
	for at, v := range s {
		if key, ok := strings.CutPrefix(at, ref.Namespace+"/"+ref.Name+"/"); ok {
			data[key] = []byte(v)
		}
	}
	if len(data) == 0 {
		return nil, &refs.MissingError{Ref: ref}
	}
	return data, nil
}

// serve returns the URL of a server, and an Analyzer that may call it.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*Options)) (string, *Analyzer) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Hosts: []string{u.Host}, AllowLoopback: true, Secrets: secrets{}}
	for _, c := range change {
		c(&o)
	}
	return s.URL, New(o)
}

// answers returns a handler that answers each request alike.
func answers(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// metric returns a spec with one metric, m.
func metric(p v1beta1.RolloutMetricProvider, success string) *v1beta1.AliasRollout {
	return &v1beta1.AliasRollout{Analysis: &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{
		Name:             "m",
		SuccessCondition: &success, Provider: p,
	}}}}
}

func web(target string) v1beta1.RolloutMetricProvider {
	return v1beta1.RolloutMetricProvider{Web: &v1beta1.WebMetric{URL: target}}
}

func prometheus(address, query string) v1beta1.RolloutMetricProvider {
	return v1beta1.RolloutMetricProvider{Prometheus: &v1beta1.PrometheusMetric{Address: address, Query: query}}
}

var due = []rollout.CheckID{{Type: rollout.CheckMetric, Name: "m"}}

// only returns the single measurement of a spec.
func only(t *testing.T, a *Analyzer, spec *v1beta1.AliasRollout, due ...rollout.CheckID) rollout.Measurement {
	t.Helper()
	found, wait := a.Measure(t.Context(), subject, spec, due)
	if len(found) != 1 || wait != 0 {
		t.Fatalf("got %d measurements, wait %s", len(found), wait)
	}
	if found[0].CheckID != due[0] {
		t.Errorf("the measurement is of %v", found[0].CheckID)
	}
	return found[0]
}

type outcome struct{ result, value, message string }

func compare(t *testing.T, reason string, want outcome, got rollout.Measurement) {
	t.Helper()
	if got.Result != want.result || got.Value != want.value || want.message == "" != (got.Message == "") ||
		!strings.Contains(got.Message, want.message) {
		t.Errorf("%s\ngot %q, %q, %q\nwant %q, %q, %q", reason, got.Result, got.Value, got.Message, want.result,
			want.value, want.message)
	}
	if strings.Contains(got.Message, "secret") || strings.Contains(got.Value, "secret") {
		t.Errorf("it quotes what the server has answered: %+v", got)
	}
}

func vector(values ...string) string {
	var elements []string
	for i, v := range values {
		elements = append(elements, fmt.Sprintf(`{"metric": {"secret": "%d"}, "value": [1700000000, %q]}`, i, v))
	}
	return `{"status": "success", "warnings": ["PromQL warning: secret"], "data": {"resultType": "vector", "result": [` + strings.Join(
		elements, ",") + `]}}`
}

func TestPrometheus(t *testing.T) {
	cases := map[string]struct {
		reason  string
		handler http.HandlerFunc
		want    outcome
	}{
		"Success": {
			"A vector of one element.", answers(200, "application/json", vector("0.002")),
			outcome{"Success", "0.002", ""},
		},
		"Failure": {
			"One above the bound.", answers(200, "application/json", vector("0.2")),
			outcome{"Failure", "0.2", "successCondition is not met: result < 0.01"},
		},
		"Scalar": {
			"A scalar.",
			answers(
				200,
				"application/json",
				`{"status":"success","data":{"resultType":"scalar","result":[1,"0.001"]}}`,
			),
			outcome{"Success", "0.001", ""},
		},
		"Empty": {
			"No series is no value, and never a success.", answers(200, "application/json", vector()),
			outcome{"Error", "", "the query has no value"},
		},
		"Several": {
			"Several elements are ambiguous.", answers(200, "application/json", vector("0", "0")),
			outcome{"Error", "", "has 2 elements"},
		},
		"Many": {"Very many are not read.", answers(200, "application/json", vector(slices.Repeat([]string{"0"},
			10000)...)), outcome{"Error", "", "the response has more than 256 KiB"}},
		"NaN": {
			"A division of zero by zero is not a number.", answers(200, "application/json", vector("NaN")),
			outcome{"Inconclusive", "NaN", "not a finite number"},
		},
		"Infinite": {
			"Nor is one of more by zero.", answers(200, "application/json", vector("+Inf")),
			outcome{"Inconclusive", "+Inf", "not a finite number"},
		},
		"Matrix": {
			"A range is not one value.",
			answers(200, "application/json", `{"status":"success","data":{"resultType":"matrix","result":[]}}`),
			outcome{"Error", "", "neither a scalar nor an instant vector"},
		},
		"Text": {
			"Nor is text.",
			answers(
				200,
				"application/json",
				`{"status":"success","data":{"resultType":"string","result":[1,"secret"]}}`,
			),
			outcome{"Error", "", ""},
		},
		"Null": {
			"Nor is an element that is null.",
			answers(200, "application/json", `{"status":"success","data":{"resultType":"vector","result":[null]}}`),
			outcome{"Error", "", "its result is empty"},
		},
		"NoValue": {
			"Nor is an element without a value zero.",
			answers(200, "application/json", `{"status":"success","data":{"resultType":"vector","result":[{"metric":{}}]}}`),
			outcome{"Error", "", "the query has no value"},
		},
		"NullValue": {
			"Nor is one that is null, as some programs write NaN.",
			answers(
				200,
				"application/json",
				`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,null]}]}}`,
			),
			outcome{"Error", "", "the query has no value"},
		},
		"ShortValue": {
			"Nor is one with a time only.",
			answers(
				200,
				"application/json",
				`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1]}]}}`,
			),
			outcome{"Error", "", "the query has no value"},
		},
		"NullScalar": {
			"Nor is a scalar that is null.",
			answers(200, "application/json", `{"status":"success","data":{"resultType":"scalar","result":[1,null]}}`),
			outcome{"Error", "", "the server does not answer as Prometheus does"},
		},
		"Histogram": {
			"Nor is a histogram.",
			answers(
				200,
				"application/json",
				`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}]}}`,
			),
			outcome{"Error", "", "is a histogram"},
		},
		"Warned": {
			"Thanos warns that a store does not answer: the failures may be there.",
			answers(200, "application/json", strings.Replace(vector("0"), "PromQL warning: secret", "fetch series: secret", 1)),
			outcome{"Error", "", "with a part of the data"},
		},
		"Partial": {
			"VictoriaMetrics says it of a storage node.",
			answers(200, "application/json", strings.Replace(vector("0"), `{"status"`, `{"isPartial": true, "status"`, 1)),
			outcome{"Error", "", "with a part of the data"},
		},
		"BadData": {
			"A query that is not valid.",
			answers(400, "application/json", `{"status":"error","errorType":"bad_data","error":"secret"}`),
			outcome{"Error", "", "Prometheus rejects the query"},
		},
		"Exec": {
			"One that cannot be evaluated.",
			answers(422, "application/json", `{"status":"error","errorType":"execution","error":"secret"}`),
			outcome{"Error", "", "cannot evaluate the query"},
		},
		"Timeout": {
			"One that takes too long.",
			answers(503, "application/json", `{"status":"error","errorType":"timeout","error":"secret"}`),
			outcome{"Error", "", "the server answered with HTTP status 503"},
		},
		"Weird": {
			"An error that no Prometheus knows.",
			answers(200, "application/json", `{"status":"error","errorType":"secret","error":"secret"}`),
			outcome{"Error", "", "does not answer as Prometheus does"},
		},
		"Failing": {
			"A server that fails.", answers(500, "text/plain", "secret"),
			outcome{"Error", "", "the server answered with HTTP status 500"},
		},
		"Denied": {
			"A server that denies.", answers(401, "text/plain", "secret"),
			outcome{"Error", "", "HTTP status 401: check address and bearerTokenSecretRef"},
		},
		"Busy": {
			"A server that limits the rate needs no other address or token.", answers(429, "text/plain", "secret"),
			outcome{"Error", "", "the server answered with HTTP status 429"},
		},
		"HTML": {
			"A page of a login.", answers(200, "text/html", "<html>secret"),
			outcome{"Error", "", "does not answer as Prometheus does"},
		},
		"Redirect": {"A redirect.", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/secret", http.StatusTemporaryRedirect)
		}, outcome{"Error", "", "the server redirects, which the provider does not follow"}},
		"Hangup": {
			"A server that hangs up.", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			outcome{"Error", "", "the request failed"},
		},
		"Truncated": {"One that hangs up in the middle.", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(vector("0")))
			panic(http.ErrAbortHandler)
		}, outcome{"Error", "", "the request failed"}},
		"Endless": {
			"One that never ends.",
			endless(`{"status":"success","data":"`),
			outcome{"Error", "", "the response has more than 256 KiB"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			target, a := serve(t, tc.handler)
			got := only(t, a, metric(prometheus(target, "x"), "result < 0.01"), due...)
			if name == "Text" {
				tc.want.message = got.Message // Which error it is depends on the client.
			}
			compare(t, tc.reason, tc.want, got)
		})
	}
}

// endless returns a handler that writes until the client hangs up.
func endless(start string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write([]byte(start))
		for chunk := []byte(strings.Repeat("x", 32<<10)); err == nil; {
			_, err = w.Write(chunk)
		}
	}
}

// TestPrometheusQuery looks at what the server is asked.
func TestPrometheusQuery(t *testing.T) {
	var asked []string
	target, a := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/prefix/api/v1/query" || r.FormValue("time") != "" || r.FormValue("timeout") == "" {
			t.Errorf("%s %s: %v", r.Method, r.URL, r.Form)
		}
		asked = append(asked, r.FormValue("query"))
		value := "0.4"
		if strings.Contains(r.FormValue("query"), `v="7"`) {
			value = "0.3"
		}
		_, _ = w.Write([]byte(vector(value)))
	})
	p := prometheus(target+"/prefix/", `errors{f="$(function)",a="$(alias)",v="$(target)",s="$(stable)"}`)
	compare(t, "A condition without a baseline.", outcome{"Success", "0.4", ""},
		only(t, a, metric(p, "result < 1"), due...))
	compare(t, "A condition with one.", outcome{"Success", "0.4", ""}, only(t, a, metric(p, "result < baseline * 2"),
		due...))
	compare(t, "The stable version is better.", outcome{"Failure", "0.4", "successCondition is not met"},
		only(t, a, metric(p, "result <= baseline"), due...))
	first, stable := `errors{f="checkout",a="live",v="8",s="7"}`, `errors{f="checkout",a="live",v="7",s="7"}`
	if diff := cmp.Diff([]string{first, first, stable, first, stable}, asked); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	compare(t, "A query that does not name the target has no baseline.",
		outcome{"Inconclusive", "0.4", "a number that is not known"},
		only(t, a, metric(prometheus(target+"/prefix", "up"), "result <= baseline"), due...))
	asked = nil
	all := subject
	all.Weighted = false
	found, _ := a.Measure(t.Context(), all, metric(p, "math.isNaN(baseline) || result <= baseline"), due)
	if len(found) != 1 || found[0].Result != rollout.Success || len(asked) != 1 {
		t.Errorf("a stable version without invocations has no baseline: %v, %v", found, asked)
	}
	compare(t, "A comparison with a stable version without invocations does not apply.",
		outcome{"Skipped", "0.4", "receives no invocations any more"},
		func() rollout.Measurement {
			m, _ := a.Measure(t.Context(), all, metric(p, "result <= baseline"), due)
			return m[0]
		}())
}

// TestBaselineThatIsNotRead checks that a source that does not answer about the stable version is not taken for a
// stable version without invocations: what depends on the comparison is an Error, and what does not is decided.
func TestBaselineThatIsNotRead(t *testing.T) {
	const tests = "math.isNaN(baseline) || result <= baseline"
	down := answers(503, "text/plain", "secret")
	cases := map[string]struct {
		reason    string
		stable    http.HandlerFunc
		condition string
		want      outcome
	}{
		"Down": {
			"A source that is down says nothing.",
			down,
			tests,
			outcome{"Error", "", "cannot tell the baseline"},
		},
		"Compared": {
			"Nor does it for a plain comparison.",
			down,
			"result <= baseline",
			outcome{"Error", "", "cannot tell the baseline"},
		},
		"NotNeeded": {
			"A condition that does not depend on it is decided.",
			down,
			"result < 1 || " + tests,
			outcome{"Success", "0.4", ""},
		},
		"Empty": {
			"An empty answer is one of a version without invocations.",
			answers(200, "application/json", vector()),
			tests,
			outcome{"Success", "0.4", ""},
		},
		"EmptyPlain": {
			"It decides nothing for a plain comparison.",
			answers(200, "application/json", vector()),
			"result <= baseline",
			outcome{"Inconclusive", "0.4", "a number that is not known"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			target, a := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.FormValue("query") == "errors_7" {
					tc.stable(w, r)
					return
				}
				_, _ = w.Write([]byte(vector("0.4")))
			})
			compare(
				t,
				tc.reason,
				tc.want,
				only(t, a, metric(prometheus(target, "errors_$(target)"), tc.condition), due...),
			)
		})
	}
	target, a := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/7" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("0.4"))
	})
	compare(t, "A URL that is not found is one of a version without invocations.", outcome{"Success", "0.4", ""},
		only(t, a, metric(web(target+"/$(target)"), tests), due...))
}

func TestWeb(t *testing.T) {
	cases := map[string]struct {
		reason  string
		handler http.HandlerFunc
		success string
		want    outcome
	}{
		"Success": {
			"A field.", answers(200, "application/json", `{"p99": 120, "note": "secret"}`),
			"result.p99 < 200",
			outcome{"Success", "", ""},
		},
		"Failure": {
			"One above the bound.", answers(200, "application/json", `{"p99": 220}`), "result.p99 < 200",
			outcome{"Failure", "", "successCondition is not met: result.p99 < 200"},
		},
		"Number": {
			"A number alone is shown.", answers(200, "application/json", `120`), "result < 200",
			outcome{"Success", "120", ""},
		},
		"Bool": {
			"So is a truth value.", answers(201, "application/json", `false`), "result",
			outcome{"Failure", "false", "successCondition is not met"},
		},
		"Text": {
			"Text is not.", answers(200, "application/json", `"secret"`), `result == "x"`,
			outcome{"Failure", "", "successCondition is not met"},
		},
		"Missing": {
			"A field that is missing.", answers(200, "application/json", `{"secret": 1}`),
			"result.p99 < 200",
			outcome{
				"Error", "",
				"spec.rollout.analysis.metrics[m].successCondition: cannot be evaluated at 1:7: there is no such field",
			},
		},
		"NoTraffic": {
			"A rate of no invocations.", answers(200, "application/json", `{"errors": 0, "total": 0}`),
			"result.errors / result.total < 0.01",
			outcome{"Inconclusive", "", "a number that is not known, such as 0 / 0"},
		},
		"HTML": {
			"A page.", answers(200, "text/html", "<html>secret"), "result < 1",
			outcome{"Error", "", "the response is not JSON"},
		},
		"Empty": {
			"Nothing.", answers(200, "application/json", ""), "result < 1",
			outcome{"Error", "", "the response is not JSON"},
		},
		"Two": {
			"Two documents.", answers(200, "application/json", "1 2"), "result < 1",
			outcome{"Error", "", "the response is not JSON"},
		},
		"NotNumber": {
			"JSON has no NaN.", answers(200, "application/json", "NaN"), "result < 1",
			outcome{"Error", "", "the response is not JSON"},
		},
		"Large": {
			"A number that is too large.", answers(200, "application/json", "1e999"), "result < 1",
			outcome{"Error", "", "the response is not JSON"},
		},
		"Huge": {
			"A long response.", answers(200, "application/json", `"`+strings.Repeat("x", 64<<10)+`"`),
			"result != ''",
			outcome{"Error", "", "the response has more than 64 KiB"},
		},
		"Endless": {
			"One that never ends.", endless(`"`), "result != ''",
			outcome{"Error", "", "the response has more than 64 KiB"},
		},
		"Limit": {"The longest that is read.", answers(200, "application/json",
			`"`+strings.Repeat("x", 64<<10-2)+`"`), "result != ''", outcome{"Success", "", ""}},
		"Failing": {
			"A server that fails.", answers(500, "application/json", `{"p99": 1}`), "result.p99 < 200",
			outcome{"Error", "", "the server answered with HTTP status 500"},
		},
		"NoContent": {
			"No content.", answers(204, "", ""), "result < 1",
			outcome{"Error", "", "the response is not JSON"},
		},
		"Undeclared": {"A condition that is not valid.", nil, "p99 < 200", outcome{
			"Error", "",
			"spec.rollout.analysis.metrics[m].successCondition is not valid: 1:1: undeclared reference to 'p99'",
		}},
		"Redirect": {
			"A redirect.", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/secret",
					http.StatusFound)
			}, "result < 1",
			outcome{"Error", "", "the server redirects, which the provider does not follow"},
		},
		"Headers": {"A long header.", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Secret", strings.Repeat("x", 1<<20))
			_, _ = w.Write([]byte("1"))
		}, "result < 2", outcome{"Error", "", "the request failed"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			target, a := serve(t, tc.handler)
			compare(t, tc.reason, tc.want, only(t, a, metric(web(target), tc.success), due...))
		})
	}
	t.Run("Substituted", func(t *testing.T) {
		target, a := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_,
				_ = fmt.Fprintf(w, "%q", r.URL.String())
		})
		compare(t, "Variables are replaced.", outcome{"Success", "", ""},
			only(t, a, metric(web(target+"/$(function)/$(alias)?v=$(target)&s=$(stable)"),
				`result == "/checkout/live?v=8&s=7"`), due...))
		compare(t, "The baseline is that of the stable version.", outcome{"Success", "", ""},
			only(t, a, metric(web(target+"/$(target)"), `result == "/8" && baseline == "/7"`), due...))
	})
}

// TestUnreachable has servers that cannot be called.
func TestUnreachable(t *testing.T) {
	target, a := serve(t, answers(200, "application/json", "1"),
		func(o *Options) { o.Hosts = append(o.Hosts, "a.invalid", "localhost:1") })
	for name, tc := range map[string]struct {
		reason string
		url    string
		want   string
	}{
		"NotAllowed": {
			"A host that is not listed.", "https://evil.example.com/x",
			"host evil.example.com is not allowed: ask the provider's operator for --analysis-host",
		},
		"Unknown": {"A name that does not exist.", "http://a.invalid/", "cannot read a.invalid: "},
		"Closed": {
			"A port that is closed.", "http://localhost:1/",
			"cannot read localhost:1: the host does not accept the connection",
		},
		"NotTLS":    {"A server without TLS.", strings.Replace(target, "http:", "https:", 1), "the request failed"},
		"NoURL":     {"Something else.", "ftp://a.invalid/", "it is not an http or https URL"},
		"Malformed": {"A URL that cannot be parsed.", "http://[::1/", "it is not an http or https URL"},
		"Control":   {"One with control characters.", "http://a.invalid/\x01", "it is not an http or https URL"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := metric(web(tc.url), "result < 2")
			spec.Dependencies = []v1beta1.RolloutDependency{{
				Name: "d",
				HTTP: &v1beta1.RolloutHTTPDependency{URL: tc.url},
			}}
			compare(t, tc.reason, outcome{"Error", "", tc.want}, only(t, a, spec, due...))
			compare(t, tc.reason, outcome{"Error", "", tc.want},
				only(t, a, spec, rollout.CheckID{Type: rollout.CheckDependency, Name: "d"}))
			compare(t, tc.reason, outcome{"Error", "", tc.want},
				only(t, a, metric(prometheus(tc.url, "x"), "result < 2"), due...))
		})
	}
}

// TestBearerToken looks at where a token is sent.
func TestBearerToken(t *testing.T) {
	var seen atomic.Value
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header.Get("Authorization"))
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_, _ = w.Write([]byte(vector("1")))
			return
		}
		_, _ = w.Write([]byte("1"))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // It logs clients that do not trust it.
	s.StartTLS()
	t.Cleanup(s.Close)
	u, _ := url.Parse(s.URL)
	a := New(Options{Hosts: []string{u.Host}, AllowLoopback: true, Secrets: secrets{
		"shop/token/ok":  "abc\n",
		"shop/token/bad": "a\nb", "shop/token/none": " ", "other/foreign/ok": "x",
	}})
	for name, tc := range map[string]struct {
		reason string
		trust  bool
		url    string
		ref    *v1beta1.KeySelector
		want   outcome
		sent   string
	}{
		"Sent": {
			"A token.", true, s.URL, &v1beta1.KeySelector{Name: "token", Key: "ok"},
			outcome{"Success", "1", ""},
			"Bearer abc",
		},
		"None": {"No token.", true, s.URL, nil, outcome{"Success", "1", ""}, ""},
		"Optional": {"One that may be missing.", true, s.URL, &v1beta1.KeySelector{
			Name: "x", Key: "ok",
			Optional: new(true),
		}, outcome{"Success", "1", ""}, ""},
		"Missing": {
			"One that is missing.", true, s.URL, &v1beta1.KeySelector{Name: "x", Key: "ok"},
			outcome{"Error", "", "cannot read the bearer token: Secret shop/x does not exist"},
			"-",
		},
		"Foreign": {
			"A Secret of another namespace.", true, s.URL, &v1beta1.KeySelector{Name: "foreign", Key: "ok"},
			outcome{"Error", "", "does not exist"},
			"-",
		},
		"Malformed": {
			"A token that would add a header.", true, s.URL, &v1beta1.KeySelector{Name: "token", Key: "bad"},
			outcome{"Error", "", "key bad of Secret token is not a bearer token"},
			"-",
		},
		"Empty": {
			"A token that is empty.", true, s.URL, &v1beta1.KeySelector{Name: "token", Key: "none"},
			outcome{"Error", "", "is not a bearer token"},
			"-",
		},
		"Plain": {"It is not sent without TLS.", true, "http://" + u.Host, &v1beta1.KeySelector{
			Name: "token",
			Key:  "ok",
		}, outcome{"Error", "", "the bearer token is sent over https only"}, "-"},
		"Untrusted": {
			"Nor to a server whose certificate is not trusted.", false, s.URL,
			&v1beta1.KeySelector{Name: "token", Key: "ok"},
			outcome{"Error", "", "the server's certificate is not trusted"},
			"-",
		},
	} {
		t.Run(name, func(t *testing.T) {
			transport := newTransport(a.hosts)
			if tc.trust {
				roots := x509.NewCertPool()
				roots.AddCert(s.Certificate())
				transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
			}
			t.Cleanup(transport.CloseIdleConnections)
			b := *a
			b.transport = transport
			w, p := web(tc.url), prometheus(tc.url, "x")
			w.Web.BearerTokenSecretRef, p.Prometheus.BearerTokenSecretRef = tc.ref, tc.ref
			for _, provider := range []v1beta1.RolloutMetricProvider{w, p} {
				seen.Store("-")
				compare(t, tc.reason, tc.want, only(t, &b, metric(provider, "result < 2"), due...))
				if got := seen.Load(); got != tc.sent {
					t.Errorf("%s\nthe server has seen %q", tc.reason, got)
				}
			}
		})
	}
}

// samples is a CloudWatch that answers alike.
type samples struct {
	sample rollout.Sample
	states map[string]rollout.AlarmState
	wait   time.Duration
	err    error
	asked  []string
}

func (c *samples) Fired(context.Context, string, string, time.Time) (time.Time, error) {
	return time.Time{}, c.err
}

func (c *samples) Sample(context.Context, rollout.Subject,
	*v1beta1.RolloutMetric,
) (rollout.Sample, time.Duration, error) {
	return c.sample, c.wait, c.err
}

func (c *samples) Alarms(_ context.Context, names []string,
	interval time.Duration,
) (map[string]rollout.AlarmState, time.Duration, error) {
	c.asked = append(c.asked, fmt.Sprint(interval, names))
	return c.states, c.wait, c.err
}

func TestCloudWatchMetric(t *testing.T) {
	nan := math.NaN()
	cases := map[string]struct {
		reason           string
		sample           rollout.Sample
		success, failure string
		least            int32
		generic          bool
		want             outcome
	}{
		"Success": {
			"A number that meets the condition.",
			rollout.Sample{Value: 0.001, Samples: 10},
			"result < 0.01", "", 10, false,
			outcome{"Success", "0.001", ""},
		},
		"Failure": {
			"One that does not.",
			rollout.Sample{Value: 1.0 / 3, Samples: 10},
			"result < 0.01", "", 10,
			false,
			outcome{"Failure", "0.333333", "successCondition is not met: result < 0.01"},
		},
		"FailureOnly": {
			"What does not fail succeeds.",
			rollout.Sample{Value: 0.01, Samples: 10},
			"", "result > 0.1",
			10, false,
			outcome{"Success", "0.01", ""},
		},
		"FailureMet": {
			"What does fails.",
			rollout.Sample{Value: 0.2, Samples: 10},
			"", "result > 0.1", 10, false,
			outcome{"Failure", "0.2", "failureCondition is met: result > 0.1"},
		},
		"Neither": {
			"What is between both is inconclusive.",
			rollout.Sample{Value: 0.05, Samples: 10},
			"result < 0.01", "result > 0.1", 10, false,
			outcome{"Inconclusive", "0.05", "neither successCondition nor failureCondition is met"},
		},
		"Both": {
			"Failure is first.",
			rollout.Sample{Value: 0.05, Samples: 10},
			"result > 0.01",
			"result < 0.1", 10, false,
			outcome{"Failure", "0.05", "failureCondition is met"},
		},
		"Few": {
			"Too few invocations say nothing.",
			rollout.Sample{Value: 1, Samples: 3},
			"result < 0.01",
			"", 10, false,
			outcome{"Inconclusive", "", "too few invocations: 3 of 10"},
		},
		"NoTraffic": {
			"Nor do none, whose rate is not a number.",
			rollout.Sample{Value: nan, Samples: 0},
			"result < 0.01", "", 0, false,
			outcome{"Inconclusive", "", "too few invocations: 0 of 1"},
		},
		"UnknownTraffic": {
			"Nor does a number that is not known.",
			rollout.Sample{Value: 0, Samples: nan},
			"result < 0.01", "", 1, false,
			outcome{"Inconclusive", "", "too few invocations: NaN of 1"},
		},
		"EarlierTraffic": {
			"Invocations with an earlier weight do not raise the weight further.",
			rollout.Sample{Value: 0, Samples: 10, Earlier: true},
			"result < 0.01", "", 1, false,
			outcome{"Inconclusive", "0", "there are no invocations with the present weight"},
		},
		"EarlierFailure": {
			"Their failures count.",
			rollout.Sample{Value: 1, Samples: 10, Earlier: true},
			"result < 0.01", "", 1, false,
			outcome{"Failure", "1", "successCondition is not met"},
		},
		"OtherMetric": {
			"Other metrics have no invocations.",
			rollout.Sample{Value: 0, Samples: nan},
			"result < 0.01", "", 10, true,
			outcome{"Success", "0", ""},
		},
		"OtherMetricOfFew": {
			"Their data points are no invocations, and a condition that needs those is not known.",
			rollout.Sample{Value: 0.5, Samples: 5},
			"samples < 20 || result < 0.01", "", 1, true,
			outcome{"Inconclusive", "0.5", "a number that is not known"},
		},
		"NaN": {
			"A result that is not a number.",
			rollout.Sample{Value: nan, Samples: 10},
			"", "result > 1",
			1, false,
			outcome{"Inconclusive", "NaN", "not a finite number"},
		},
		"Infinite": {
			"Nor is an infinite one.",
			rollout.Sample{Value: math.Inf(-1), Samples: 10},
			"result < 1",
			"", 1, false,
			outcome{"Inconclusive", "-Inf", "not a finite number"},
		},
		"Baseline": {"A comparison with the stable version.", rollout.Sample{
			Value: 0.02, Baseline: 0.015,
			Samples: 10,
		}, "result <= baseline * 1.5", "", 1, false, outcome{"Success", "0.02", ""}},
		"NoBaseline": {
			"Without one, it does not fail.",
			rollout.Sample{Value: 0.02, Baseline: nan, Samples: 10},
			"result <= baseline * 1.5", "", 1, false,
			outcome{"Inconclusive", "0.02", "baseline"},
		},
		"NoBaselineOnly": {
			"Nor succeed.",
			rollout.Sample{Value: 0.02, Baseline: nan, Samples: 10},
			"",
			"result > baseline * 1.5", 1, false,
			outcome{"Inconclusive", "0.02", "baseline"},
		},
		"NoneFailing": {
			"Whether it fails is not known, so it does not succeed.",
			rollout.Sample{Value: 0.02, Baseline: nan, Samples: 10},
			"result < 1", "result > baseline", 1, false,
			outcome{"Inconclusive", "0.02", "baseline"},
		},
		"Unbounded": {"Everything is less than infinity.", rollout.Sample{
			Value: 0.02, Baseline: math.Inf(1),
			Samples: 10,
		}, "result <= baseline", "", 1, false, outcome{"Inconclusive", "0.02", "baseline"}},
		"BaselineOfFew": {
			"The number of the stable version's invocations.",
			rollout.Sample{Value: 0.02, Baseline: 0.01, Samples: 10, BaselineSamples: 3},
			"baselineSamples < 10 || result < baseline", "", 1, false,
			outcome{"Success", "0.02", ""},
		},
		"FewToCompareWith": {
			"Too few invocations of the stable version are none to compare with.",
			rollout.Sample{Value: 0.02, Baseline: 0, Samples: 1000, BaselineSamples: 3},
			"result <= baseline * 1.5", "", 50, false,
			outcome{"Inconclusive", "0.02", "baseline"},
		},
		"FewButSome": {
			"Nor are they no invocations.",
			rollout.Sample{Value: 0.02, Baseline: 0, Samples: 1000, BaselineSamples: 3},
			"math.isNaN(baseline) || result <= baseline * 1.5", "", 50, false,
			outcome{"Inconclusive", "0.02", "baseline"},
		},
		"EnoughToCompareWith": {
			"As many as of the target are enough.",
			rollout.Sample{Value: 0.02, Baseline: 0, Samples: 1000, BaselineSamples: 50},
			"result <= baseline * 1.5", "", 50, false,
			outcome{"Failure", "0.02", "successCondition is not met"},
		},
		"FewNotNeeded": {
			"What is decided without them is decided.",
			rollout.Sample{Value: 0.02, Baseline: 0, Samples: 1000, BaselineSamples: 3},
			"result < 0.05 || result <= baseline * 1.5", "", 50, false,
			outcome{"Success", "0.02", ""},
		},
		"NoCondition": {
			"The API server rejects this.",
			rollout.Sample{Value: 0, Samples: 10},
			"", "", 1, false,
			outcome{"Error", "", "metrics[m] has no condition"},
		},
		"Invalid": {
			"Both conditions have to be valid.",
			rollout.Sample{Value: 5, Samples: 10},
			"reslt < 1",
			"result > 1", 1, false,
			outcome{"Error", "", "spec.rollout.analysis.metrics[m].successCondition is not valid: 1:1: undeclared"},
		},
		"InvalidFailure": {
			"Also that for failure.",
			rollout.Sample{Value: 5, Samples: 10},
			"result < 1", "result >", 1,
			false,
			outcome{
				"Error", "",
				"spec.rollout.analysis.metrics[m].failureCondition is not valid: 1:9: Syntax error",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := v1beta1.RolloutMetric{
				Name: "m", MinSampleCount: &tc.least,
				Provider: v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: "ErrorRate"}},
			}
			if tc.generic {
				m.Provider = v1beta1.RolloutMetricProvider{CloudWatch: &v1beta1.CloudWatchMetric{}}
			}
			if tc.success != "" {
				m.SuccessCondition = &tc.success
			}
			if tc.failure != "" {
				m.FailureCondition = &tc.failure
			}
			spec := &v1beta1.AliasRollout{Analysis: &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{m}}}
			compare(t, tc.reason, tc.want, only(t, New(Options{}).WithCloudWatch(&samples{sample: tc.sample}), spec,
				due...))
		})
	}
	spec := metric(v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{}}, "result < 1")
	compare(t, "A source that fails.", outcome{"Error", "", "cannot read CloudWatch"},
		only(t, New(Options{}).WithCloudWatch(&samples{err: errors.New("cannot read CloudWatch")}), spec, due...))
	compare(t, "No source.", outcome{"Error", "", "CloudWatch cannot be read"}, only(t, New(Options{}), spec, due...))
	if found, wait := New(Options{}).WithCloudWatch(&samples{wait: 3 * time.Second}).Measure(t.Context(), subject, spec,
		due); len(found) != 0 || wait != 3*time.Second {
		t.Errorf("a value that is not there yet is no measurement: %v, %s", found, wait)
	}
}

func TestAlarms(t *testing.T) {
	spec := &v1beta1.AliasRollout{Analysis: &v1beta1.RolloutAnalysis{Alarms: &v1beta1.RolloutAlarms{Names: []string{
		"a",
		"b", "c", "d", "e",
	}, Interval: &metav1.Duration{Duration: time.Minute}}}}
	var ids []rollout.CheckID
	for _, name := range spec.Analysis.Alarms.Names {
		ids = append(ids, rollout.CheckID{Type: rollout.CheckAlarm, Name: name})
	}
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
	c := &samples{states: map[string]rollout.AlarmState{
		"a": {
			State: "OK",
		},
		"b": {State: "ALARM", Until: at(3), Since: at(2), About: at(1)},
		"c": {State: "INSUFFICIENT_DATA"},
		"d": {
			Err: errors.New("the alarm d does not exist"),
		},
		"e": {State: "secret"},
	}}
	found, wait := New(Options{}).WithCloudWatch(c).Measure(t.Context(), subject, spec, ids)
	if len(found) != 5 || wait != 0 {
		t.Fatalf("got %v, %s", found, wait)
	}
	compare(t, "An alarm that is OK.", outcome{"Success", "OK", ""}, found[0])
	compare(t, "One that fires.", outcome{"Failure", "ALARM", "the alarm b is in state ALARM"}, found[1])
	if m := found[1]; m.Until != at(3) || m.Since != at(2) || m.About != at(1) {
		t.Errorf("until %s, since %s, about %s", m.Until, m.Since, m.About)
	}
	compare(t, "One without data.", outcome{"Inconclusive", "INSUFFICIENT_DATA", "the alarm c has insufficient data: if it has none without errors, let it treat missing data as notBreaching"},
		found[2])
	compare(t, "One that does not exist.", outcome{"Error", "", "the alarm d does not exist"}, found[3])
	compare(t, "A state that is not known.", outcome{"Error", "", "the alarm e is in a state that is not known"},
		found[4])
	if diff := cmp.Diff([]string{"1m0s [a b c d e]"}, c.asked); diff != "" {
		t.Errorf("all alarms are read in one call: -want +got\n%s", diff)
	}
	c.wait = time.Second
	if found, wait := New(Options{}).WithCloudWatch(c).Measure(t.Context(), subject, spec, ids); len(found) != 0 ||
		wait != time.Second {
		t.Errorf("got %v, %s", found, wait)
	}
	for _, a := range []*Analyzer{New(Options{}), New(Options{}).WithCloudWatch(&samples{err: errors.New("no")})} {
		if found, _ := a.Measure(t.Context(), subject, spec, ids); len(found) != 5 ||
			found[4].Result != rollout.Error || found[4].Name != "e" {
			t.Errorf("got %v", found)
		}
	}
	spec.Analysis = nil
	if found, wait := New(Options{}).Measure(t.Context(), subject, spec,
		append(ids, due[0], rollout.CheckID{Type: rollout.CheckDependency, Name: "x"},
			rollout.CheckID{Type: rollout.CheckPreTraffic, Name: "x"})); len(found) != 0 || wait != 0 {
		t.Errorf("checks that the spec does not have are measured: %v, %s", found, wait)
	}
}

// slow is a server that does not answer, in simulated time.
type slow struct {
	begun, now, most atomic.Int32
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.begun.Add(1)
	if n := s.now.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.now.Add(-1)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestSlowSources has sources that do not answer beside one that does.
func TestSlowSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		a := New(Options{Hosts: []string{"a.example.org"}}).WithCloudWatch(&samples{sample: rollout.Sample{
			Value:   1,
			Samples: 5,
		}})
		a.transport = s
		spec := metric(v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{}}, "result < 2")
		ids := slices.Clone(due)
		for i := range 15 {
			name := fmt.Sprintf("w%d", i)
			spec.Analysis.Metrics = append(spec.Analysis.Metrics, v1beta1.RolloutMetric{
				Name:             name,
				SuccessCondition: new("result < 1"), Provider: web("https://a.example.org"),
			})
			ids = append(ids, rollout.CheckID{Type: rollout.CheckMetric, Name: name})
		}
		begin := time.Now()
		found, wait := a.Measure(t.Context(), subject, spec, ids)
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
		if len(found) != 5 || wait != startAgain || s.most.Load() != maxRequests || s.begun.Load() != maxRequests {
			t.Fatalf("%d were measured, %d requests of which %d at a time, wait %s", len(found), s.begun.Load(),
				s.most.Load(), wait)
		}
		compare(t, "The other source is measured.", outcome{"Success", "1", ""}, found[0])
		compare(t, "The slow one is not.",
			outcome{"Error", "", "cannot read a.example.org: there is no answer within 5s"}, found[1])
	})
}

// hung is a CloudWatch that answers about alarms and not about metrics.
type hung struct{ samples }

func (*hung) Sample(
	ctx context.Context,
	_ rollout.Subject,
	_ *v1beta1.RolloutMetric,
) (rollout.Sample, time.Duration, error) {
	<-ctx.Done()
	return rollout.Sample{}, 0, ctx.Err()
}

// TestSlowMetricsHoldUpNoAlarm has metrics that take longer to measure than their intervals, and an alarm that fires.
func TestSlowMetricsHoldUpNoAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := &metav1.Time{Time: time.Now().Add(-time.Hour)}
		state := &v1beta1.AliasRolloutStatus{
			Phase:            v1beta1.RolloutProgressing,
			Step:             v1beta1.RolloutAnalyzing,
			TrafficStartedAt: begin,
			ShiftedAt:        begin,
		}
		spec := &v1beta1.AliasRollout{
			Analysis: &v1beta1.RolloutAnalysis{Alarms: &v1beta1.RolloutAlarms{Names: []string{"a"}}},
		}
		for _, name := range []string{"m", "n"} {
			spec.Analysis.Metrics = append(spec.Analysis.Metrics, v1beta1.RolloutMetric{
				Name: name, SuccessCondition: new("result < 1"), Interval: &metav1.Duration{Duration: 10 * time.Second},
				Provider: v1beta1.RolloutMetricProvider{CloudWatch: &v1beta1.CloudWatchMetric{}},
			})
		}
		a := New(Options{}).WithCloudWatch(&hung{samples{states: map[string]rollout.AlarmState{"a": {State: "ALARM"}}}})
		for range 20 {
			now := time.Now()
			overdue, _ := rollout.Due(spec, state, now)
			found, wait := a.Measure(t.Context(), subject, spec, overdue)
			for _, m := range found {
				rollout.Record(state, m, now)
			}
			time.Sleep(max(wait, time.Second))
		}
		alarm := rollout.CheckOf(state, rollout.CheckID{Type: rollout.CheckAlarm, Name: "a"})
		if alarm == nil || alarm.Failures == 0 {
			t.Errorf("the alarm was not read in %s: %+v", time.Since(begin.Add(time.Hour)), state.Checks)
		}
	})
}

// TestCanceled has a provider that shuts down.
func TestCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(Options{Hosts: []string{"a.example.org"}})
		a.transport = &slow{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if found, _ := a.Measure(ctx, subject, metric(web("https://a.example.org"), "result < 1"),
			due); len(found) != 0 {
			t.Errorf("what was not measured is an error: %v", found)
		}
	})
}

// broken is a source with a bug.
type broken struct{ samples }

func (*broken) Sample(context.Context, rollout.Subject, *v1beta1.RolloutMetric) (rollout.Sample, time.Duration, error) {
	panic("secret")
}

func TestPanic(t *testing.T) {
	spec := metric(v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{}}, "result < 1")
	compare(t, "A bug is an error.", outcome{"Error", "", "a bug of the provider"},
		only(t, New(Options{}).WithCloudWatch(&broken{}), spec, due...))
}

func TestBounded(t *testing.T) {
	m := measured(due[0], rollout.Error, strings.Repeat("ä", 100), "%s", strings.Repeat("ä", 1000)+"\xff")
	if v, text := []rune(m.Value), []rune(m.Message); len(v) != maxValue || len(text) != maxMessage {
		t.Errorf("got %d and %d characters", len(v), len(text))
	}
}
