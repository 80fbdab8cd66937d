package awsdouble

import (
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func noSigningConfig(arn string) *Error {
	return apiError(
		http.StatusNotFound, "CodeSigningConfigNotFoundException",
		"The code signing configuration cannot be found. Check that the provided configuration is not deleted: %s.",
		arn)
}

func createCodeSigning(s *Server, r *request) any {
	in := decoded[lambda.CreateCodeSigningConfigInput](r)
	checkTags(nil, in.Tags)
	s.serial++
	id := fmt.Sprintf("csc-%017x", s.serial)
	arn := r.home.arn("code-signing-config:" + id)
	c := &types.CodeSigningConfig{
		CodeSigningConfigArn: &arn, CodeSigningConfigId: &id, Description: aws.String(""),
		CodeSigningPolicies: &types.CodeSigningPolicies{UntrustedArtifactOnDeployment: types.CodeSigningPolicyWarn},
	}
	overlay(c, &in)
	r.home.signing[arn], r.home.tags[arn] = c, in.Tags
	return s.signed(c)
}

// signed returns the response about a configuration that was changed.
func (s *Server) signed(c *types.CodeSigningConfig) any {
	c.LastModified = aws.String(s.lastModified())
	return map[string]any{"CodeSigningConfig": *c}
}

func updateCodeSigning(s *Server, r *request) any {
	in := decoded[lambda.UpdateCodeSigningConfigInput](r)
	c := namedSigning(r)
	overlay(c, &in)
	return s.signed(c)
}

func namedSigning(r *request) *types.CodeSigningConfig {
	arn := r.vars["CodeSigningConfigArn"]
	if c := r.home.signing[arn]; c != nil {
		return c
	}
	panic(notFound("The Lambda code signing configuration %s can not be found.", arn))
}

func getCodeSigning(_ *Server, r *request) any {
	return map[string]any{"CodeSigningConfig": *namedSigning(r)}
}

func listCodeSigning(_ *Server, r *request) any {
	return listedBy("CodeSigningConfigs", r.home.signing, r)
}

func listFunctionsByCodeSigning(_ *Server, r *request) any {
	return paged("FunctionArns", r.home.signs(*namedSigning(r).CodeSigningConfigArn), r)
}

// signs returns the ARNs of the functions with a configuration.
func (h *home) signs(config string) []string {
	arns := []string{}
	for _, name := range h.names() {
		if h.functions[name].codeSigning == config {
			arns = append(arns, h.functions[name].latest.FunctionArn)
		}
	}
	return arns
}

func deleteCodeSigning(_ *Server, r *request) any {
	arn := *namedSigning(r).CodeSigningConfigArn
	if len(r.home.signs(arn)) > 0 {
		panic(conflict("The code signing configuration %s is attached to a function. Detach it first.", arn))
	}
	delete(r.home.signing, arn)
	delete(r.home.tags, arn)
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
