package analysis

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

var tables = schema.GroupVersionKind{Group: "db.example.org", Version: "v1", Kind: "Table"}

func mapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(tables, meta.RESTScopeNamespace)
	m.Add(tables.GroupVersion().WithKind("Account"), meta.RESTScopeRoot)
	m.Add(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, meta.RESTScopeNamespace)
	return m
}

// cluster is an API server with one Table, orders.
type cluster struct {
	client.Reader

	content map[string]any
	err     error
}

func (c cluster) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	if c.err != nil {
		return c.err
	}
	if key != (client.ObjectKey{Namespace: "shop", Name: "orders"}) {
		return kerrors.NewNotFound(schema.GroupResource{Resource: "tables"}, key.Name)
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || u.GroupVersionKind() != tables {
		return errors.New("another kind is read")
	}
	u.Object = c.content
	return nil
}

var dependency = rollout.CheckID{Type: rollout.CheckDependency, Name: "d"}

func TestConditionDependency(t *testing.T) {
	object := func(metadata map[string]any, conditions ...any) map[string]any {
		return map[string]any{"metadata": metadata, "status": map[string]any{"conditions": conditions}}
	}
	ready := map[string]any{"type": "Ready", "status": "True"}
	table := v1beta1.RolloutConditionDependency{
		APIVersion: "db.example.org/v1", Kind: "Table", Name: "orders",
		Type: "Ready", Status: "True",
	}
	but := func(change func(d *v1beta1.RolloutConditionDependency)) v1beta1.RolloutConditionDependency {
		d := table
		change(&d)
		return d
	}
	cases := map[string]struct {
		reason  string
		d       v1beta1.RolloutConditionDependency
		content map[string]any
		err     error
		want    outcome
	}{
		"Ready": {"A condition that is as it should be.", table, object(nil,
			map[string]any{"type": "Synced", "status": "False"}, ready), nil, outcome{"Success", "True", ""}},
		"Defaults": {"Without type and status it is Ready.", but(func(d *v1beta1.RolloutConditionDependency) {
			d.Type,
				d.Status = "", ""
		}), object(nil, ready), nil, outcome{"Success", "True", ""}},
		"NotReady": {
			"One that is not.", table,
			object(nil, map[string]any{"type": "Ready", "status": "False", "message": "secret"}), nil,
			outcome{"Failure", "False", "the condition Ready of Table orders is not True"},
		},
		"False": {
			"One that should be False.",
			but(func(d *v1beta1.RolloutConditionDependency) { d.Type, d.Status = "Degraded", "False" }),
			object(nil, map[string]any{"type": "Degraded", "status": "False"}), nil,
			outcome{"Success", "False", ""},
		},
		"None": {
			"An object without the condition.", table, object(nil), nil,
			outcome{"Failure", "", "Table orders has no condition Ready"},
		},
		"NoStatus": {
			"An object without a status.", table,
			map[string]any{},
			nil,
			outcome{"Failure", "", "Table orders has no condition Ready"},
		},
		"Odd": {
			"An object with other conditions than usual.", table,
			map[string]any{"status": map[string]any{"conditions": "secret"}},
			nil,
			outcome{"Failure", "", "Table orders has no condition Ready"},
		},
		"OddEntry": {
			"Or with other entries.", table, object(nil, "secret", ready), nil,
			outcome{"Success", "True", ""},
		},
		"Current": {"A condition of the present generation.", table, object(map[string]any{"generation": int64(2)},
			map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(2)}), nil, outcome{
			"Success",
			"True", "",
		}},
		"Earlier": {
			"One of an earlier generation says nothing.", table,
			object(map[string]any{"generation": int64(3)}, map[string]any{
				"type": "Ready", "status": "True",
				"observedGeneration": int64(2),
			}), nil,
			outcome{"Inconclusive", "True", "of an earlier generation"},
		},
		"Deleted": {
			"An object that is being deleted.", table,
			object(map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z"}, ready), nil,
			outcome{"Failure", "", "Table orders is being deleted"},
		},
		"Absent": {
			"An object that does not exist.",
			but(func(d *v1beta1.RolloutConditionDependency) { d.Name = "x" }), nil, nil,
			outcome{"Failure", "", "Table x does not exist"},
		},
		"NoKind": {
			"A kind that does not exist.",
			but(func(d *v1beta1.RolloutConditionDependency) { d.Kind = "Tabel" }), nil, nil,
			outcome{"Error", "", "cannot read Tabel orders: the cluster has no kind Tabel in db.example.org/v1"},
		},
		"Malformed": {
			"A version that is none.",
			but(func(d *v1beta1.RolloutConditionDependency) { d.APIVersion = "a/b/c" }), nil, nil,
			outcome{"Error", "", `apiVersion "a/b/c" is not valid`},
		},
		"Cluster": {
			"A cluster-scoped kind.", but(func(d *v1beta1.RolloutConditionDependency) { d.Kind = "Account" }),
			nil, nil,
			outcome{"Error", "", "the kind is cluster-scoped"},
		},
		"Secret": {"Secrets are not read.", but(func(d *v1beta1.RolloutConditionDependency) {
			d.APIVersion,
				d.Kind = "v1", "Secret"
		}), object(nil, ready), nil, outcome{"Error", "", "Secrets are not read"}},
		"Forbidden": {
			"An object that the provider may not read.",
			table,
			nil,
			kerrors.NewForbidden(schema.GroupResource{}, "orders", nil),
			outcome{
				"Error",
				"",
				`cannot read Table orders: grant the provider's ServiceAccount get on tables of API group "db.example.org"`,
			},
		},
		"Failing": {
			"An API server that fails.", table, nil, errors.New("etcd is down"),
			outcome{"Error", "", "cannot read Table orders: etcd is down"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := New(Options{Reader: cluster{content: tc.content, err: tc.err}, Mapper: mapper()})
			spec := &v1beta1.AliasRollout{Dependencies: []v1beta1.RolloutDependency{{Name: "d", Condition: &tc.d}}}
			compare(t, tc.reason, tc.want, only(t, a, spec, dependency))
		})
	}
	spec := &v1beta1.AliasRollout{Dependencies: []v1beta1.RolloutDependency{{Name: "d"}}}
	compare(t, "The API server rejects this.", outcome{"Error", "", "neither http nor condition"},
		only(t, New(Options{}), spec, dependency))
}

func TestHTTPDependency(t *testing.T) {
	cases := map[string]struct {
		reason   string
		handler  http.HandlerFunc
		expected *int32
		want     outcome
	}{
		"OK": {
			"Any status from 200 to 299 is healthy.", answers(204, "", ""), nil,
			outcome{"Success", "HTTP 204", ""},
		},
		"Failing": {
			"Another one is not.", answers(503, "text/plain", "secret"), nil,
			outcome{"Failure", "HTTP 503", "answers with HTTP status 503, not 200 to 299"},
		},
		"Expected": {
			"The one that is expected is.", answers(401, "text/plain", "secret"), new(int32(401)),
			outcome{"Success", "HTTP 401", ""},
		},
		"Unexpected": {
			"Then no other one is.", answers(200, "text/plain", "secret"), new(int32(204)),
			outcome{"Failure", "HTTP 200", "answers with HTTP status 200, not 204"},
		},
		"Redirect": {
			"A redirect is not followed.", http.RedirectHandler("/secret", http.StatusFound).ServeHTTP, nil,
			outcome{"Failure", "HTTP 302", "answers with HTTP status 302"},
		},
		"Redirected": {
			"It may be expected.", http.RedirectHandler("/secret", http.StatusFound).ServeHTTP,
			new(int32(302)),
			outcome{"Success", "HTTP 302", ""},
		},
		"Endless": {"The body is not read.", endless("secret"), nil, outcome{"Success", "HTTP 200", ""}},
		"Hangup": {"No answer is no value.", func(http.ResponseWriter,
			*http.Request,
		) {
			panic(http.ErrAbortHandler)
		}, nil, outcome{"Error", "", "the request failed"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			target, a := serve(t, tc.handler)
			spec := &v1beta1.AliasRollout{Dependencies: []v1beta1.RolloutDependency{{
				Name: "d",
				HTTP: &v1beta1.RolloutHTTPDependency{URL: target, ExpectedStatus: tc.expected},
			}}}
			got := only(t, a, spec, dependency)
			compare(t, tc.reason, tc.want, got)
			if strings.Contains(got.Message, "http://") {
				t.Errorf("the message has the URL, which may hold a password: %s", got.Message)
			}
		})
	}
}

// TestAlarmsBetweenMeasurements checks of which alarms the history is read, since when, and what follows from it.
func TestAlarmsBetweenMeasurements(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
	id := rollout.CheckID{Type: rollout.CheckAlarm, Name: "a"}
	check := func(result string, minute int) []v1beta1.RolloutCheck {
		return []v1beta1.RolloutCheck{
			{Type: rollout.CheckMetric, Name: "a", MeasuredAt: &metav1.Time{Time: at(59)}},
			{Type: id.Type, Name: id.Name, Result: result, MeasuredAt: &metav1.Time{Time: at(minute)}},
		}
	}
	traffic := rollout.Subject{TrafficSince: at(10)}
	for name, tc := range map[string]struct {
		reason  string
		subject rollout.Subject
		checks  []v1beta1.RolloutCheck
		state   rollout.AlarmState
		fired   time.Time
		err     error
		want    string
		asked   string
	}{
		"Fired":     {"It has fired meanwhile.", traffic, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(21)}, at(20), nil, "Failure", "a 03:18:00"},
		"NoData":    {"Also if it has no data now.", traffic, check("Success", 20), rollout.AlarmState{State: "INSUFFICIENT_DATA", Since: at(21)}, at(20), nil, "Failure", "a 03:18:00"},
		"Shared":    {"The last answer may have been a minute old.", traffic, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(19)}, at(19), nil, "Failure", "a 03:18:00"},
		"Unfired":   {"It has not.", traffic, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(21)}, time.Time{}, nil, "Success", "a 03:18:00"},
		"Earlier":   {"It was about what was before the target.", traffic, check("Success", 11), rollout.AlarmState{State: "OK", Since: at(12)}, at(10), nil, "Success", "a 03:09:00"},
		"AfterErr":  {"It was not known for a while.", traffic, check("Error", 20), rollout.AlarmState{State: "OK", Since: at(14)}, at(13), nil, "Failure", "a 03:10:00"},
		"Constant":  {"It has not changed since.", traffic, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(17)}, at(20), nil, "Success", ""},
		"Before":    {"Nor since the first weight.", traffic, check("Success", 11), rollout.AlarmState{State: "OK", Since: at(10)}, at(20), nil, "Success", ""},
		"Fires":     {"It is known to be in ALARM.", traffic, check("Success", 20), rollout.AlarmState{State: "ALARM", Since: at(21)}, at(20), nil, "Failure", ""},
		"First":     {"It was not measured before.", traffic, nil, rollout.AlarmState{State: "OK", Since: at(21)}, at(20), nil, "Success", ""},
		"NoTraffic": {"The target has received nothing.", rollout.Subject{}, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(21)}, at(20), nil, "Success", ""},
		"Denied":    {"The history may not be read.", traffic, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(21)}, time.Time{}, &smithy.GenericAPIError{Code: "AccessDenied"}, "Success", "a 03:18:00"},
		"Broken":    {"It could not be read.", traffic, check("Success", 20), rollout.AlarmState{State: "OK", Since: at(21)}, time.Time{}, errors.New("broken"), "Error", "a 03:18:00"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &histories{
				samples: samples{states: map[string]rollout.AlarmState{"a": tc.state}},
				fired:   tc.fired,
				err:     tc.err,
			}
			tc.subject.Checks = tc.checks
			found, _ := New(Options{}).WithCloudWatch(c).Measure(t.Context(), tc.subject, &v1beta1.AliasRollout{
				Analysis: &v1beta1.RolloutAnalysis{Alarms: &v1beta1.RolloutAlarms{Names: []string{"a"}}},
			}, []rollout.CheckID{id})
			if got := found[0]; got.Result != tc.want || c.asked != tc.asked ||
				got.Result == rollout.Failure && tc.asked != "" && got.About != tc.fired ||
				(tc.err != nil) != (got.Message != "" && got.Result != rollout.Failure && got.Result != rollout.Inconclusive) {
				t.Errorf("%s: got %+v, asked for %q", tc.reason, got, c.asked)
			}
		})
	}
}

// histories are the histories of alarms.
type histories struct {
	samples

	fired time.Time
	err   error
	asked string
}

func (h *histories) Fired(_ context.Context, name, _ string, since time.Time) (time.Time, error) {
	h.asked = name + since.Format(" 15:04:05")
	return h.fired, h.err
}
