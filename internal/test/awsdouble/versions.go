package awsdouble

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

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
