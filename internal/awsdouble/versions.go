package awsdouble

import (
	"net/http"
	"strconv"
)

// publish copies $LATEST into a new version, which changes its revision too.
func (s *Server) publish(f *function, description *string) *instance {
	v := *f.latest
	v.Version = strconv.Itoa(f.next)
	v.FunctionArn += ":" + v.Version
	v.RevisionId = newUUID()
	set(description, &v.Description)
	if v.SnapStart != nil && v.SnapStart.ApplyOn == "PublishedVersions" {
		v.SnapStart = &SnapStart{ApplyOn: v.SnapStart.ApplyOn, OptimizationStatus: "On"}
	}
	f.next++
	f.published = v.Version
	f.versions = append(f.versions, &v)
	return &v
}

func publishVersion(s *Server, r *request) (*answer, error) {
	in := struct {
		CodeSha256, RevisionId string //nolint:revive // Lambda's spelling
		Description            *string
	}{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	if err := updatable(f); err != nil {
		return nil, err
	}
	if in.CodeSha256 != "" && in.CodeSha256 != f.latest.CodeSha256 {
		return nil, invalidParameter("CodeSHA256 (%s) is different from current CodeSHA256 in $LATEST (%s). Please try again with the CodeSHA256 in $LATEST.", in.CodeSha256, f.latest.CodeSha256)
	}
	if err := checkRevision(f, in.RevisionId); err != nil {
		return nil, err
	}
	if v := f.version(f.published); v != nil {
		return &answer{status: http.StatusCreated, json: v.Configuration}, nil
	}
	v := s.publish(f, in.Description)
	f.latest.RevisionId = newUUID()
	return &answer{status: http.StatusCreated, json: v.Configuration}, nil
}

// versionsOf lists $LATEST and the versions as lists show them.
func versionsOf(f *function) []Configuration {
	latest := listed(f.latest.Configuration)
	latest.FunctionArn += ":$LATEST"
	all := []Configuration{latest}
	for _, v := range f.versions {
		all = append(all, listed(v.Configuration))
	}
	return all
}

func listVersions(s *Server, r *request) (*answer, error) {
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	return paged("Versions", versionsOf(f), r), nil
}
