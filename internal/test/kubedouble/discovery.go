package kubedouble

import (
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

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
