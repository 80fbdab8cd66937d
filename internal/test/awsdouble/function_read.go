package awsdouble

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func getFunction(s *Server, r *request) any {
	f, i := s.qualified(r)
	out, tags := map[string]any{"Code": i.code, "Configuration": i.Configuration}, r.home.tags[f.latest.FunctionArn]
	switch e := s.refusal(r, needed{"lambda:ListTags", f.latest.FunctionArn}); {
	case e != nil:
		out["TagsError"] = types.TagsError{ErrorCode: &e.Code, Message: &e.Message}
	case len(tags) > 0:
		out["Tags"] = tags
	}
	if f.concurrency != nil {
		out["Concurrency"] = types.Concurrency{ReservedConcurrentExecutions: f.concurrency}
	}
	return out
}

func getFunctionConfiguration(s *Server, r *request) any {
	_, i := s.qualified(r)
	return i.Configuration
}

// qualified returns the function that a request names, and a copy of the version.
func (s *Server) qualified(r *request) (*function, instance) {
	f, t := s.find(r)
	i := s.pick(f, t, r)
	return f, i
}

// latestVersion is the name of the unpublished version.
const latestVersion = "$LATEST"

// publishedVersion is the published version without a number.
const publishedVersion = "$LATEST.PUBLISHED"

// pick returns a copy of $LATEST or of a version, with the ARN as it was requested.
func (s *Server) pick(f *function, t target, r *request) instance {
	switch t.qualifier {
	case "":
		return *f.latest
	case latestVersion:
		i := *f.latest
		i.FunctionArn += ":$LATEST"
		return i
	case publishedVersion:
		// Functions on managed instances run $LATEST.PUBLISHED, or else the last published version.
		if f.latestPublished != nil {
			return *f.latestPublished
		}
		if n := len(f.versions); n > 0 && f.latest.CapacityProviderConfig != nil {
			i := *f.versions[n-1]
			i.Version, i.FunctionArn = t.qualifier, f.latest.FunctionArn+":"+t.qualifier
			return i
		}
	}
	if a := f.aliases[t.qualifier]; a != nil {
		i := s.pick(f, target{name: t.name, qualifier: a.FunctionVersion}, r)
		i.FunctionArn = a.AliasArn
		return i
	}
	if v := f.version(t.qualifier); v != nil {
		return *v
	}
	panic(notFound("Function not found: %s", r.home.arn("function:"+t.name+":"+t.qualifier)))
}

// version returns a published version by number, or nil.
func (f *function) version(number string) *instance {
	for _, v := range f.versions {
		if v.Version == number {
			return v
		}
	}
	return nil
}

// has reports whether a qualifier names $LATEST, a version or an alias.
func (f *function) has(qualifier string) bool {
	if qualifier == publishedVersion {
		return f.latestPublished != nil
	}
	return qualifier == latestVersion || f.version(qualifier) != nil || f.aliases[qualifier] != nil
}

// listed returns a configuration without the members that lists omit.
func listed(c Configuration) Configuration {
	c.State, c.StateReason, c.StateReasonCode = "", "", ""
	c.LastUpdateStatus, c.LastUpdateStatusReason, c.LastUpdateStatusReasonCode = "", "", ""
	c.RuntimeVersionConfig = nil
	return c
}

// maxPage is the maximum number of elements in a page.
const maxPage = 50

func listFunctions(s *Server, r *request) any {
	functions := r.home.functions
	if r.query("FunctionVersion") != "ALL" {
		names, next := pageOf(r.home.names(), r)
		page := make([]Configuration, 0, len(names))
		for _, name := range names {
			s.completeAll(functions[name])
			page = append(page, listed(functions[name].latest.Configuration))
		}
		return pageAnswer("Functions", page, next)
	}
	all := []Configuration{}
	for _, f := range functions {
		s.completeAll(f)
		all = append(all, versionsOf(f)...)
	}
	slices.SortFunc(all, func(a, b Configuration) int { return cmp.Compare(a.FunctionArn, b.FunctionArn) })
	return paged("Functions", all, r)
}

// paged returns the response to a list: a page under a name, and the next marker.
func paged[T any](name string, all []T, r *request) map[string]any {
	page, next := pageOf(all, r)
	return pageAnswer(name, page, next)
}

// pageAnswer returns a page under a name, with the next marker if there is one.
func pageAnswer[T any](name string, page []T, next string) map[string]any {
	out := map[string]any{name: page}
	if next != "" {
		out["NextMarker"] = next
	}
	return out
}

// pageOf returns the page that Marker and MaxItems select. A marker is opaque to clients: here it is an index.
func pageOf[T any](all []T, r *request) (page []T, next string) {
	start, _ := strconv.Atoi(r.query("Marker"))
	size, err := strconv.Atoi(r.query("MaxItems"))
	if err != nil || size > maxPage || size < 1 {
		size = maxPage
	}
	start = min(max(start, 0), len(all))
	end := min(start+size, len(all))
	if end < len(all) {
		next = strconv.Itoa(end)
	}
	return all[start:end], next
}
