package awsdouble

import (
	"cmp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// createInput is CreateFunction's body.
type createInput struct {
	settings
	FunctionName         string
	PackageType          string
	Architectures        []string
	Publish              bool
	PublishTo            string
	Tags                 map[string]string
	Code                 codeInput
	CodeSigningConfigArn string
	TenancyConfig        *types.TenancyConfig
}

func createFunction(s *Server, r *request) any {
	in := decoded[createInput](r)
	name := in.name(r)
	in.check(s, r)
	in.checkManaged(&Configuration{})
	in.checkDurable(&Configuration{})
	h := r.home
	if h.functions[name] != nil {
		panic(conflict("Function already exist: %s", name))
	}
	h.checkExist(in.Layers)
	in.checkNetwork(s)
	if in.CodeSigningConfigArn != "" && h.signing[in.CodeSigningConfigArn] == nil {
		panic(noSigningConfig(in.CodeSigningConfigArn))
	}
	c := s.resolve(in.Code, name)
	h.checkStorage(c.size, 0)
	h.checkUnpacked(c.unzipped, in.Layers)
	f := s.newFunction(h, name, &in, c)
	h.functions[name], h.sorted = f, nil
	out := f.latest.Configuration
	if in.Publish {
		v := s.publish(f, in.settings.Description, in.PublishTo)
		s.begin(v, s.options.CreateDuration, nil)
		out.Version = v.Version
	}
	return out
}

// name validates and returns the plain name of the function to create.
func (in *createInput) name(r *request) string {
	t := parseTarget(in.FunctionName)
	if len(t.name) > 64 {
		long := validation{}
		short := member{rules: []rule{longest(64)}}
		short.check(&long, "functionName", t.name)
		panic(invalidParameter("%s", long.message()))
	}
	r.reachable(t)
	return t.name
}

// check rejects what Lambda rejects before it looks for the function.
func (in *createInput) check(s *Server, r *request) {
	in.checkPackage()
	in.settings.check(r, &Configuration{})
	checkTags(nil, in.Tags)
	s.checkRole(r, in.Role)
}

// checkPackage rejects settings that do not match the package type.
func (in *createInput) checkPackage() {
	image := in.PackageType == "Image"
	switch {
	case image && (in.Handler != nil || in.Runtime != nil || len(in.Layers) > 0):
		panic(invalidParameter("Please don't provide Handler or Runtime or Layer when the intended function " +
			"PackageType is Image."))
	case image && in.Code.ImageUri == "":
		panic(invalidParameter("Please provide ImageUri when creating a function with packageType Image."))
	case !image && in.Code.ImageUri != "":
		panic(invalidParameter("Please don't provide ImageUri when creating a function with packageType Zip."))
	case !image && (empty(in.Handler) || empty(in.Runtime)):
		panic(invalidParameter("Runtime and Handler are mandatory parameters for functions created with deployment " +
			"packages."))
	}
}

func (s *Server) newFunction(h *home, name string, in *createInput, c code) *function {
	l := &instance{code: c.location, unzipped: c.unzipped}
	l.FunctionName, l.FunctionArn, l.Version = name, h.arn("function:"+name), latestVersion
	l.PackageType, l.Architectures = cmp.Or(in.PackageType, "Zip"), []string{"x86_64"}
	if len(in.Architectures) > 0 {
		l.Architectures = in.Architectures
	}
	l.CodeSha256, l.CodeSize, l.TenancyConfig = c.sha256, c.size, in.TenancyConfig
	defaults(&l.Configuration, h.region)
	if in.CapacityProviderConfig != nil {
		l.logJSON()
	}
	in.settings.apply(&l.Configuration, h)
	l.State, l.StateReason, l.StateReasonCode = "Pending", "The function is being created.", "Creating"
	l.LastModified = s.lastModified()
	s.begin(l, s.options.CreateDuration, s.take(creation, name))
	h.tags[l.FunctionArn] = in.Tags
	return &function{
		latest: l, next: max(1, h.next[name]), aliases: map[string]*Alias{}, codeSigning: in.CodeSigningConfigArn,
		recursiveLoop: "Terminate", scaling: map[string]types.FunctionScalingConfig{}, configs: newConfigs(),
	}
}

func empty(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }
