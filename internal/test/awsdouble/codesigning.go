package awsdouble

import (
	"fmt"
	"maps"
	"net/http"
)

// signingConfig is a code signing configuration.
type signingConfig struct {
	AllowedPublishers    map[string][]string
	CodeSigningConfigArn string
	CodeSigningConfigId  string //nolint:revive // Lambda's spelling
	CodeSigningPolicies  map[string]string
	Description          string
	LastModified         string
	tags                 map[string]string
}

func noSigningConfig(arn string) error {
	return &Error{
		Status: http.StatusNotFound, Code: "CodeSigningConfigNotFoundException",
		Message: "The code signing configuration cannot be found. Check that the provided configuration is not deleted: " + arn + ".",
	}
}

func createCodeSigning(s *Server, r *request) (*answer, error) {
	in := struct {
		signingConfig
		Tags map[string]string
	}{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	if err := checkTags(nil, in.Tags); err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	s.serial++
	c := in.signingConfig
	c.tags = map[string]string{}
	maps.Copy(c.tags, in.Tags)
	c.CodeSigningConfigId = fmt.Sprintf("csc-%017x", s.serial)
	c.CodeSigningConfigArn = h.arn("code-signing-config:" + c.CodeSigningConfigId)
	c.LastModified = s.lastModified()
	if c.CodeSigningPolicies == nil {
		c.CodeSigningPolicies = map[string]string{"UntrustedArtifactOnDeployment": "Warn"}
	}
	h.signing[c.CodeSigningConfigArn] = &c
	return &answer{status: http.StatusCreated, json: map[string]any{"CodeSigningConfig": c}}, nil
}

func (s *Server) signing(r *request) (*signingConfig, error) {
	arn := r.vars["CodeSigningConfigArn"]
	if c := s.home(r.account, r.region).signing[arn]; c != nil {
		return c, nil
	}
	return nil, notFound("The Lambda code signing configuration %s can not be found.", arn)
}

func getCodeSigning(s *Server, r *request) (*answer, error) {
	c, err := s.signing(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, json: map[string]any{"CodeSigningConfig": *c}}, nil
}

func deleteCodeSigning(s *Server, r *request) (*answer, error) {
	c, err := s.signing(r)
	if err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	for _, f := range h.functions {
		if f.codeSigning == c.CodeSigningConfigArn {
			return nil, conflict("The code signing configuration %s is attached to a function. Detach it first.", c.CodeSigningConfigArn)
		}
	}
	delete(h.signing, c.CodeSigningConfigArn)
	return &answer{status: http.StatusNoContent}, nil
}

// signable returns the function that a request names. It fails if the function's code cannot be signed.
func (s *Server) signable(r *request) (*function, error) {
	f, err := s.unqualified(r)
	if err == nil && f.latest.PackageType == "Image" {
		err = invalidParameter("Code signing is not supported for functions created with container images.")
	}
	return f, err
}

func putFunctionCodeSigning(s *Server, r *request) (*answer, error) {
	in := struct{ CodeSigningConfigArn string }{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	if s.home(r.account, r.region).signing[in.CodeSigningConfigArn] == nil {
		return nil, noSigningConfig(in.CodeSigningConfigArn)
	}
	f, err := s.signable(r)
	if err != nil {
		return nil, err
	}
	f.codeSigning = in.CodeSigningConfigArn
	return signingAnswer(f), nil
}

func getFunctionCodeSigning(s *Server, r *request) (*answer, error) {
	f, err := s.signable(r)
	if err != nil {
		return nil, err
	}
	return signingAnswer(f), nil
}

func deleteFunctionCodeSigning(s *Server, r *request) (*answer, error) {
	f, err := s.signable(r)
	if err != nil {
		return nil, err
	}
	f.codeSigning = ""
	return &answer{status: http.StatusNoContent}, nil
}

// signingAnswer returns the attached configuration; it has no members if none is attached.
func signingAnswer(f *function) *answer {
	out := map[string]string{}
	if f.codeSigning != "" {
		out["CodeSigningConfigArn"], out["FunctionName"] = f.codeSigning, f.latest.FunctionName
	}
	return &answer{status: http.StatusOK, json: out}
}
