package awsdouble

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
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
	TenancyConfig        json.RawMessage
}

func createFunction(s *Server, r *request) (*answer, error) {
	in := createInput{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	name, err := in.name(r)
	if err != nil {
		return nil, err
	}
	if err := in.check(s, r); err != nil {
		return nil, err
	}
	if err := in.checkManaged(&Configuration{}); err != nil {
		return nil, err
	}
	if err := in.checkDurable(&Configuration{}); err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	if h.functions[name] != nil {
		return nil, conflict("Function already exist: %s", name)
	}
	if err := h.checkExist(in.Layers); err != nil {
		return nil, err
	}
	if err := in.checkNetwork(s); err != nil {
		return nil, err
	}
	if in.CodeSigningConfigArn != "" && h.signing[in.CodeSigningConfigArn] == nil {
		return nil, noSigningConfig(in.CodeSigningConfigArn)
	}
	c, err := s.resolve(in.Code, name)
	if err != nil {
		return nil, err
	}
	if err := h.checkStorage(c.size, 0); err != nil {
		return nil, err
	}
	if err := h.checkUnpacked(c.unzipped, in.Layers); err != nil {
		return nil, err
	}
	f := s.newFunction(h, name, &in, c)
	h.functions[name], h.sorted = f, nil
	out := f.latest.Configuration
	if in.Publish {
		v := s.publish(f, in.settings.Description, in.PublishTo)
		s.begin(v, s.options.CreateDuration, nil)
		out.Version = v.Version
	}
	return &answer{status: http.StatusCreated, json: out}, nil
}

// name validates and returns the plain name of the function to create.
func (in *createInput) name(r *request) (string, error) {
	t := parseTarget(in.FunctionName)
	if len(t.name) > 64 {
		long := validation{}
		short := member{rules: []rule{longest(64)}}
		short.check(&long, "functionName", t.name)
		return "", invalidParameter("%s", long.message())
	}
	return t.name, r.reachable(t)
}

// check rejects what Lambda rejects before it looks for the function.
func (in *createInput) check(s *Server, r *request) error {
	if err := in.checkPackage(); err != nil {
		return err
	}
	if err := in.settings.check(r, &Configuration{}); err != nil {
		return err
	}
	if err := checkTags(nil, in.Tags); err != nil {
		return err
	}
	return s.checkRole(r, in.Role)
}

// checkPackage rejects settings that do not match the package type.
func (in *createInput) checkPackage() error {
	image := in.PackageType == "Image"
	switch {
	case image && (in.Handler != nil || in.Runtime != nil || len(in.Layers) > 0):
		return invalidParameter("Please don't provide Handler or Runtime or Layer when the intended function PackageType is Image.")
	case image && in.Code.ImageUri == "":
		return invalidParameter("Please provide ImageUri when creating a function with packageType Image.")
	case !image && in.Code.ImageUri != "":
		return invalidParameter("Please don't provide ImageUri when creating a function with packageType Zip.")
	case !image && (empty(in.Handler) || empty(in.Runtime)):
		return invalidParameter("Runtime and Handler are mandatory parameters for functions created with deployment packages.")
	}
	return nil
}

func (s *Server) newFunction(h *home, name string, in *createInput, c code) *function {
	l := &instance{code: c.location, unzipped: c.unzipped}
	l.FunctionName, l.FunctionArn, l.Version = name, h.arn("function:"+name), latestVersion
	l.PackageType, l.Architectures = "Zip", []string{"x86_64"}
	keep(in.PackageType, &l.PackageType)
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
	s.begin(l, s.options.CreateDuration, take(s.plans.creations, name))
	tags := map[string]string{}
	maps.Copy(tags, in.Tags)
	return &function{
		latest: l, next: max(1, h.next[name]), aliases: map[string]*Alias{}, tags: tags, codeSigning: in.CodeSigningConfigArn,
		recursiveLoop: "Terminate", scaling: map[string]Scaling{}, configs: newConfigs(),
		policies: map[string]*policy{},
	}
}

func empty(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }
