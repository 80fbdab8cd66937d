package analysis

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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
		"Forbidden": {"An object that the provider may not read.", table, nil, kerrors.NewForbidden(schema.GroupResource{}, "orders", nil), outcome{"Error", "", `cannot read Table orders: grant the provider's ServiceAccount get on tables of API group "db.example.org"`}},
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
