package awsdouble

import (
	"fmt"
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
}

func noSigningConfig(arn string) *Error {
	return apiError(
		http.StatusNotFound, "CodeSigningConfigNotFoundException",
		"The code signing configuration cannot be found. Check that the provided configuration is not deleted: %s.", arn)
}

func createCodeSigning(s *Server, r *request) any {
	in := decoded[struct {
		signingConfig
		Tags map[string]string
	}](r)
	checkTags(nil, in.Tags)
	h := r.home
	s.serial++
	c := in.signingConfig
	c.CodeSigningConfigId = fmt.Sprintf("csc-%017x", s.serial)
	c.CodeSigningConfigArn = h.arn("code-signing-config:" + c.CodeSigningConfigId)
	c.LastModified = s.lastModified()
	if c.CodeSigningPolicies == nil {
		c.CodeSigningPolicies = map[string]string{"UntrustedArtifactOnDeployment": "Warn"}
	}
	h.signing[c.CodeSigningConfigArn], h.tags[c.CodeSigningConfigArn] = &c, in.Tags
	return map[string]any{"CodeSigningConfig": c}
}

func (s *Server) signing(r *request) *signingConfig {
	arn := r.vars["CodeSigningConfigArn"]
	if c := r.home.signing[arn]; c != nil {
		return c
	}
	panic(notFound("The Lambda code signing configuration %s can not be found.", arn))
}

func getCodeSigning(s *Server, r *request) any {
	c := s.signing(r)
	return map[string]any{"CodeSigningConfig": *c}
}

func deleteCodeSigning(s *Server, r *request) any {
	c := s.signing(r)
	h := r.home
	for _, f := range h.functions {
		if f.codeSigning == c.CodeSigningConfigArn {
			panic(conflict("The code signing configuration %s is attached to a function. Detach it first.", c.CodeSigningConfigArn))
		}
	}
	delete(h.signing, c.CodeSigningConfigArn)
	delete(h.tags, c.CodeSigningConfigArn)
	return nil
}

// signable returns the function that a request names. It fails if the function's code cannot be signed.
func (s *Server) signable(r *request) *function {
	f := s.unqualified(r)
	if f.latest.PackageType == "Image" {
		panic(invalidParameter("Code signing is not supported for functions created with container images."))
	}
	return f
}

func putFunctionCodeSigning(s *Server, r *request) any {
	in := decoded[struct{ CodeSigningConfigArn string }](r)
	if r.home.signing[in.CodeSigningConfigArn] == nil {
		panic(noSigningConfig(in.CodeSigningConfigArn))
	}
	f := s.signable(r)
	f.codeSigning = in.CodeSigningConfigArn
	return signingAnswer(f)
}

func getFunctionCodeSigning(s *Server, r *request) any {
	return signingAnswer(s.signable(r))
}

func deleteFunctionCodeSigning(s *Server, r *request) any {
	s.signable(r).codeSigning = ""
	return nil
}

// signingAnswer returns the attached configuration; it has no members if none is attached.
func signingAnswer(f *function) map[string]string {
	out := map[string]string{}
	if f.codeSigning != "" {
		out["CodeSigningConfigArn"], out["FunctionName"] = f.codeSigning, f.latest.FunctionName
	}
	return out
}
