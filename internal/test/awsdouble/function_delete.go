package awsdouble

import (
	"regexp"
	"slices"
	"strings"
)

// aliasName is a qualifier that can only name an alias.
var aliasName = regexp.MustCompile(`^[0-9]*[a-zA-Z_-]`)

func deleteFunction(s *Server, r *request) any {
	t := r.target()
	if t.qualifier == latestVersion {
		panic(invalidParameter("$LATEST version cannot be deleted without deleting the function."))
	}
	if aliasName.MatchString(t.qualifier) {
		panic(invalidParameter("Deletion of aliases is not currently supported."))
	}
	h := r.home
	f := h.functions[t.name]
	if f == nil {
		panic(notFound("Function not found: %s", h.arn("function:"+t.name)))
	}
	s.completeAll(f)
	if v := f.versionOf(t.qualifier); v != nil && (v.State == statePending || v.State == stateDeleting) {
		panic(notNow(v.State))
	}
	if t.qualifier == "" {
		return s.deleting(h, t.name)
	}
	if t.qualifier == publishedVersion {
		f.latestPublished, f.republished = nil, false
		return nil
	}
	if users := f.aliasesOf(t.qualifier); len(users) > 0 {
		panic(conflict("Unable to delete version because the following aliases reference it: [%s]",
			strings.Join(users, ", ")))
	}
	f.versions = slices.DeleteFunc(f.versions, func(v *instance) bool { return v.Version == t.qualifier })
	delete(h.policies, f.latest.FunctionArn+":"+t.qualifier)
	f.forget(t.qualifier)
	if f.published == t.qualifier {
		f.published = ""
	}
	return nil
}
