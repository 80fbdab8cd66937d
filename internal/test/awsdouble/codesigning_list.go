package awsdouble

import (
	"cmp"
	"slices"
)

func updateCodeSigning(s *Server, r *request) any {
	in := decoded[struct {
		AllowedPublishers   map[string][]string
		CodeSigningPolicies map[string]string
		Description         *string
	}](r)
	c := s.signing(r)
	set(in.Description, &c.Description)
	if in.AllowedPublishers != nil {
		c.AllowedPublishers = in.AllowedPublishers
	}
	if in.CodeSigningPolicies != nil {
		c.CodeSigningPolicies = in.CodeSigningPolicies
	}
	c.LastModified = s.lastModified()
	return map[string]any{"CodeSigningConfig": *c}
}

func listCodeSigning(s *Server, r *request) any {
	all := []signingConfig{}
	for _, c := range r.home.signing {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b signingConfig) int { return cmp.Compare(a.CodeSigningConfigArn, b.CodeSigningConfigArn) })
	return paged("CodeSigningConfigs", all, r)
}

func listFunctionsByCodeSigning(s *Server, r *request) any {
	c := s.signing(r)
	arns := []string{}
	for _, f := range r.home.functions {
		if f.codeSigning == c.CodeSigningConfigArn {
			arns = append(arns, f.latest.FunctionArn)
		}
	}
	slices.Sort(arns)
	return paged("FunctionArns", arns, r)
}
