package awsdouble

import (
	"cmp"
	"net/http"
	"slices"
)

func updateCodeSigning(s *Server, r *request) (*answer, error) {
	in := struct {
		AllowedPublishers   map[string][]string
		CodeSigningPolicies map[string]string
		Description         *string
	}{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	c, err := s.signing(r)
	if err != nil {
		return nil, err
	}
	set(in.Description, &c.Description)
	if in.AllowedPublishers != nil {
		c.AllowedPublishers = in.AllowedPublishers
	}
	if in.CodeSigningPolicies != nil {
		c.CodeSigningPolicies = in.CodeSigningPolicies
	}
	c.LastModified = s.lastModified()
	return &answer{status: http.StatusOK, json: map[string]any{"CodeSigningConfig": *c}}, nil
}

func listCodeSigning(s *Server, r *request) (*answer, error) {
	all := []signingConfig{}
	for _, c := range s.home(r.account, r.region).signing {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b signingConfig) int { return cmp.Compare(a.CodeSigningConfigArn, b.CodeSigningConfigArn) })
	return paged("CodeSigningConfigs", all, r), nil
}

func listFunctionsByCodeSigning(s *Server, r *request) (*answer, error) {
	c, err := s.signing(r)
	if err != nil {
		return nil, err
	}
	arns := []string{}
	for _, f := range s.home(r.account, r.region).functions {
		if f.codeSigning == c.CodeSigningConfigArn {
			arns = append(arns, f.latest.FunctionArn)
		}
	}
	slices.Sort(arns)
	return paged("FunctionArns", arns, r), nil
}
