package kubedouble

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// resource is a type that the API serves.
type resource struct {
	schema.GroupVersionResource

	kind       string
	singular   string
	namespaced bool

	// status says that status is a subresource.
	status bool

	// defaults of an object's fields. Nil has none.
	defaults *defaults
}

func (r *resource) gvk() schema.GroupVersionKind { return r.GroupVersion().WithKind(r.kind) }

// complete sets the defaults of an object, as the API server does when it is written.
func (r *resource) complete(o map[string]any) { r.defaults.set(o) }

// defaults of a value, without the fields and elements that have none.
type defaults struct {
	value  any
	fields map[string]*defaults
	items  *defaults
}

// defaultsOf returns the defaults in a schema, nil if it has none.
func defaultsOf(s *apiextensionsv1.JSONSchemaProps) *defaults {
	d := &defaults{fields: map[string]*defaults{}}
	if s.Default != nil {
		d.value = value(s.Default.Raw)
	}
	for name, p := range s.Properties {
		if field := defaultsOf(&p); field != nil {
			d.fields[name] = field
		}
	}
	if s.Items != nil && s.Items.Schema != nil {
		d.items = defaultsOf(s.Items.Schema)
	}
	if d.value == nil && len(d.fields) == 0 && d.items == nil {
		return nil
	}
	return d
}

// set sets the defaults of the fields of a value and of all values within it.
func (d *defaults) set(v any) {
	if d == nil {
		return
	}
	switch t := v.(type) {
	case map[string]any:
		for name, field := range d.fields {
			if _, ok := t[name]; !ok && field.value != nil {
				t[name] = runtime.DeepCopyJSONValue(field.value)
			}
			if child, ok := t[name]; ok {
				field.set(child)
			}
		}
	case []any:
		for _, child := range t {
			d.items.set(child)
		}
	}
}

func (r *resource) discovery() []metav1.APIResource {
	verbs := metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	out := []metav1.APIResource{{
		Name: r.Resource, SingularName: r.singular, Namespaced: r.namespaced, Kind: r.kind,
		Verbs: verbs,
	}}
	if r.status {
		out = append(out, metav1.APIResource{
			Name: r.Resource + "/status", Namespaced: r.namespaced, Kind: r.kind,
			Verbs: metav1.Verbs{"get", "patch", "update"},
		})
	}
	return out
}

// builtin returns the types of Kubernetes itself, and of Flux, that the provider uses.
func builtin() []*resource {
	of := func(group, plural, kind string, namespaced, status bool) *resource {
		return &resource{
			GroupVersionResource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural},
			kind:                 kind, singular: strings.ToLower(kind), namespaced: namespaced, status: status,
		}
	}
	return []*resource{
		of("", "namespaces", "Namespace", false, true),
		of("", "secrets", "Secret", true, false),
		of("", "configmaps", "ConfigMap", true, false),
		of("", "events", "Event", true, false),
		of("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false, false),
		of("coordination.k8s.io", "leases", "Lease", true, false),
		of("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", false, true),
		of("source.toolkit.fluxcd.io", "gitrepositories", "GitRepository", true, true),
	}
}

// known are the types that the CustomResourceDefinitions of a folder define. Thousands of servers have the same.
var known sync.Map

// definitions reads the CustomResourceDefinitions of a folder, once.
func definitions(folder string) ([]*resource, error) {
	if rs, ok := known.Load(folder); ok {
		return rs.([]*resource), nil //nolint:forcetypeassert // Nothing else is stored.
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var out []*resource
	for _, f := range files {
		b, err := os.ReadFile(filepath.Clean(f))
		if err != nil {
			return nil, err
		}
		rs, err := definition(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		out = append(out, rs...)
	}
	known.Store(folder, out)
	return out, nil
}

func definition(b []byte) ([]*resource, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(b, crd); err != nil {
		return nil, err
	}
	var out []*resource
	for _, v := range crd.Spec.Versions {
		out = append(out, &resource{
			GroupVersionResource: schema.GroupVersionResource{
				Group: crd.Spec.Group, Version: v.Name,
				Resource: crd.Spec.Names.Plural,
			},
			kind:       crd.Spec.Names.Kind,
			singular:   crd.Spec.Names.Singular,
			namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
			status:     v.Subresources != nil && v.Subresources.Status != nil,
			defaults:   defaultsOf(v.Schema.OpenAPIV3Schema),
		})
	}
	return out, nil
}

// value parses a JSON text of a definition.
func value(b []byte) any {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		panic(err) // The definitions have been parsed.
	}
	return v
}

// discover serves API discovery. It returns false for other requests.
func (s *Server) discover(rw http.ResponseWriter, r *http.Request) bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/api":
		reply(rw, http.StatusOK,
			metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case r.URL.Path == "/apis":
		reply(rw, http.StatusOK, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
			Groups:   s.groups(""),
		})
	case len(parts) == 2 && parts[0] == "apis":
		g := s.groups(parts[1])
		if len(g) == 0 {
			http.NotFound(rw, r)
			return true
		}
		g[0].TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		reply(rw, http.StatusOK, g[0])
	case len(parts) == 2 && parts[0] == "api":
		s.types(rw, schema.GroupVersion{Version: parts[1]})
	case len(parts) == 3 && parts[0] == "apis":
		s.types(rw, schema.GroupVersion{Group: parts[1], Version: parts[2]})
	default:
		return false
	}
	return true
}

// groups returns the named API group, or all groups if the name is empty. It omits the core group.
func (s *Server) groups(only string) []metav1.APIGroup {
	seen := map[schema.GroupVersion]bool{}
	for r := range s.tables {
		if r.Group != "" && (only == "" || only == r.Group) {
			seen[r.GroupVersion()] = true
		}
	}
	out := []metav1.APIGroup{}
	for gv := range seen {
		v := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		out = append(out,
			metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
	}
	slices.SortFunc(out, func(a, b metav1.APIGroup) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// types writes the resource list of a group version.
func (s *Server) types(rw http.ResponseWriter, gv schema.GroupVersion) {
	l := metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
	}
	for _, t := range s.tables {
		if t.resource.GroupVersion() == gv {
			l.APIResources = append(l.APIResources, t.resource.discovery()...)
		}
	}
	slices.SortFunc(l.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	reply(rw, http.StatusOK, l)
}
