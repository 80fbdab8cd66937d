package awsdouble

import (
	"cmp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// createInput is the body of CreateFunction, of which settings are a part.
type createInput lambda.CreateFunctionInput

func createFunction(s *Server, r *request) any {
	in, c := decoded[createInput](r), decoded[settings](r)
	name := in.name(r)
	in.checkPackage()
	c.check(r, &Configuration{})
	checkTags(nil, in.Tags)
	s.checkRole(r, in.Role)
	c.checkManaged(&Configuration{})
	c.checkDurable(&Configuration{})
	h := r.home
	if h.functions[name] != nil {
		panic(conflict("Function already exist: %s", name))
	}
	h.checkExist(in.Layers)
	c.checkNetwork(s)
	if config := aws.ToString(in.CodeSigningConfigArn); config != "" && h.signing[config] == nil {
		panic(noSigningConfig(config))
	}
	of := s.resolve(in.Code, name)
	h.checkStorage(of.size, 0)
	h.checkUnpacked(of.unzipped, in.Layers)
	f := s.newFunction(h, name, &in, of)
	c.apply(&f.latest.Configuration, h)
	h.functions[name], h.sorted = f, nil
	out := f.latest.Configuration
	if in.Publish {
		v := s.publish(f, in.Description, in.PublishTo)
		s.begin(v, s.options.CreateDuration, nil)
		out.Version = v.Version
	}
	return out
}

// name validates and returns the plain name of the function to create.
func (in *createInput) name(r *request) string {
	t := parseTarget(*in.FunctionName)
	if len(t.name) > 64 {
		long := validation{}
		short := member{rules: []rule{longest(64)}}
		short.check(&long, "functionName", t.name)
		panic(invalidParameter("%s", long.message()))
	}
	r.reachable(t)
	return t.name
}

// checkPackage rejects settings that do not match the package type.
func (in *createInput) checkPackage() {
	image, uri := in.PackageType == types.PackageTypeImage, aws.ToString(in.Code.ImageUri)
	switch {
	case image && (in.Handler != nil || in.Runtime != "" || len(in.Layers) > 0):
		panic(invalidParameter("Please don't provide Handler or Runtime or Layer when the intended function " +
			"PackageType is Image."))
	case image && uri == "":
		panic(invalidParameter("Please provide ImageUri when creating a function with packageType Image."))
	case !image && uri != "":
		panic(invalidParameter("Please don't provide ImageUri when creating a function with packageType Zip."))
	case !image && (empty(in.Handler) || in.Runtime == ""):
		panic(invalidParameter("Runtime and Handler are mandatory parameters for functions created with deployment " +
			"packages."))
	}
}

func (s *Server) newFunction(h *home, name string, in *createInput, c code) *function {
	l := &instance{code: c.location, unzipped: c.unzipped}
	l.FunctionName, l.FunctionArn, l.Version = name, h.arn("function:"+name), latestVersion
	l.PackageType, l.Architectures = cmp.Or(string(in.PackageType), "Zip"), in.Architectures
	if len(l.Architectures) == 0 {
		l.Architectures = []types.Architecture{types.ArchitectureX8664}
	}
	l.CodeSha256, l.CodeSize, l.TenancyConfig = c.sha256, c.size, in.TenancyConfig
	defaults(&l.Configuration, h.region)
	if in.CapacityProviderConfig != nil {
		l.logJSON()
	}
	l.State, l.StateReason, l.StateReasonCode = "Pending", "The function is being created.", "Creating"
	l.LastModified = s.lastModified()
	s.begin(l, s.options.CreateDuration, s.take(creation, name))
	h.tags[l.FunctionArn] = in.Tags
	return &function{
		latest: l, next: max(1, h.next[name]), aliases: map[string]*Alias{},
		codeSigning:   aws.ToString(in.CodeSigningConfigArn),
		recursiveLoop: "Terminate", scaling: map[string]types.FunctionScalingConfig{}, configs: newConfigs(),
	}
}

func empty(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }
