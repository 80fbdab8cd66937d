package awsdouble

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
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

// publish copies $LATEST into a new version, or into $LATEST.PUBLISHED, which also changes its revision.
func (s *Server) publish(f *function, description *string, to types.FunctionVersionLatestPublished) *instance {
	v := *f.latest
	v.Version = strconv.Itoa(f.next)
	if to != "" {
		v.Version = publishedVersion
	}
	v.FunctionArn += ":" + v.Version
	v.RevisionId = newUUID()
	set(description, &v.Description)
	if snapshots(&v) {
		v.SnapStart = snapStart(v.SnapStart.ApplyOn, types.SnapStartOptimizationStatusOn)
	}
	if to != "" {
		f.latestPublished, f.republished = &v, true
		return &v
	}
	f.next++
	f.published = v.Version
	f.versions = append(f.versions, &v)
	return &v
}

// snapshots reports whether AWS creates a snapshot of a version before it is ready.
func snapshots(v *instance) bool {
	return v.SnapStart != nil && v.SnapStart.ApplyOn == types.SnapStartApplyOnPublishedVersions
}

// prepare makes a version Pending until a duration has passed.
func (s *Server) prepare(v *instance, d time.Duration) {
	v.State, v.StateReason, v.StateReasonCode = "Pending", "The function is being created.", "Creating"
	v.LastUpdateStatus, v.LastUpdateStatusReason, v.LastUpdateStatusReasonCode = "", "", ""
	s.begin(v, d, s.take(newVersion, v.FunctionName))
}

func publishVersion(s *Server, r *request) any {
	in := decoded[lambda.PublishVersionInput](r)
	f := s.unqualified(r)
	updatable(f)
	if sum := aws.ToString(in.CodeSha256); sum != "" && sum != f.latest.CodeSha256 {
		panic(invalidParameter("CodeSHA256 (%s) is different from current CodeSHA256 in $LATEST (%s). Please try "+
			"again with the CodeSHA256 in $LATEST.", sum, f.latest.CodeSha256))
	}
	checkRevision(f, in.RevisionId)
	if v := f.unchanged(in.PublishTo); v != nil {
		return v.Configuration
	}
	r.home.checkStorage(f.latest.CodeSize, 0)
	v := s.publish(f, in.Description, in.PublishTo)
	if _, fails := s.plans[plan{newVersion, v.FunctionName}]; fails || snapshots(v) || v.managed() {
		s.prepare(v, s.options.CreateDuration)
	}
	f.latest.RevisionId = newUUID()
	return v.Configuration
}

// unchanged returns the version that already equals $LATEST, or nil.
func (f *function) unchanged(to types.FunctionVersionLatestPublished) *instance {
	if to == "" {
		return f.version(f.published)
	}
	if f.republished {
		return f.latestPublished
	}
	return nil
}

// versionsOf returns $LATEST and the versions as lists show them.
func versionsOf(f *function) []Configuration {
	latest := listed(f.latest.Configuration)
	latest.FunctionArn += ":$LATEST"
	all := []Configuration{latest}
	for _, v := range f.versions {
		all = append(all, listed(v.Configuration))
	}
	return all
}

func listVersions(s *Server, r *request) any {
	f := s.unqualified(r)
	return paged("Versions", versionsOf(f), r)
}
