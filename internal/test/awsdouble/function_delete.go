package awsdouble

import (
	"net/http"
	"regexp"
	"strings"
)

// aliasName is a qualifier that can only name an alias.
var aliasName = regexp.MustCompile(`^[0-9]*[a-zA-Z_-]`)

func deleteFunction(s *Server, r *request) (*answer, error) {
	t, err := r.target()
	if err != nil {
		return nil, err
	}
	if t.qualifier == latestVersion {
		return nil, invalidParameter("$LATEST version cannot be deleted without deleting the function.")
	}
	if aliasName.MatchString(t.qualifier) {
		return nil, invalidParameter("Deletion of aliases is not currently supported.")
	}
	h := s.home(r.account, r.region)
	f := h.functions[t.name]
	if f == nil {
		return nil, notFound("Function not found: %s", h.arn("function:"+t.name))
	}
	s.settleAll(f)
	if v := f.versionOf(t.qualifier); v != nil && (v.State == statePending || v.State == stateDeleting) {
		return nil, notNow(v.State)
	}
	gone := &answer{status: http.StatusNoContent}
	if t.qualifier == "" {
		return s.deleting(h, t.name), nil
	}
	if t.qualifier == publishedVersion {
		f.latestPublished, f.republished = nil, false
		return gone, nil
	}
	if users := f.aliasesOf(t.qualifier); len(users) > 0 {
		return nil, conflict("Unable to delete version because the following aliases reference it: [%s]", strings.Join(users, ", "))
	}
	kept := f.versions[:0]
	for _, v := range f.versions {
		if v.Version != t.qualifier {
			kept = append(kept, v)
		}
	}
	f.versions = kept
	delete(f.policies, f.latest.FunctionArn+":"+t.qualifier)
	f.forget(t.qualifier)
	if f.published == t.qualifier {
		f.published = ""
	}
	return gone, nil
}
