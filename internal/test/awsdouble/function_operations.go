package awsdouble

import (
	"cmp"
	"regexp"
	"slices"
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
	s.checkRole(in.Role)
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

func updateFunctionConfiguration(s *Server, r *request) any {
	in := decoded[settings](r)
	f := s.unqualified(r)
	in.check(r, &f.latest.Configuration)
	in.checkManaged(&f.latest.Configuration)
	in.checkDurable(&f.latest.Configuration)
	h := r.home
	h.checkExist(in.Layers)
	h.checkUnpacked(f.latest.unzipped, in.Layers)
	in.checkNetwork(s)
	s.checkRole(in.Role)
	updatable(f)
	checkRevision(f, in.RevisionId)
	in.apply(&f.latest.Configuration, h)
	s.startUpdate(f)
	return f.latest.Configuration
}

// updateCodeInput is the body of UpdateFunctionCode.
type updateCodeInput lambda.UpdateFunctionCodeInput

func updateFunctionCode(s *Server, r *request) any {
	in := decoded[updateCodeInput](r)
	f := s.unqualified(r)
	in.fits(f)
	updatable(f)
	checkRevision(f, in.RevisionId)
	from := types.FunctionCode{}
	overlay(&from, &in)
	c := s.resolve(&from, f.latest.FunctionName)
	r.home.checkStorage(c.size, f.latest.CodeSize)
	r.home.checkUnpacked(c.unzipped, f.latest.layerARNs())
	if in.DryRun {
		out := f.latest.Configuration
		out.CodeSha256, out.CodeSize = c.sha256, c.size
		return out
	}
	return s.replaceCode(f, &in, c)
}

// fits rejects an image for a zip function and the reverse.
func (in *updateCodeInput) fits(f *function) {
	switch uri := aws.ToString(in.ImageUri); {
	case f.latest.PackageType == "Image" && uri == "":
		panic(invalidParameter("Please provide ImageUri when updating a function with packageType Image."))
	case f.latest.PackageType == "Zip" && uri != "":
		panic(invalidParameter("Please don't provide ImageUri when updating a function with packageType Zip."))
	}
}

func (s *Server) replaceCode(f *function, in *updateCodeInput, c code) any {
	l := f.latest
	l.code, l.unzipped, l.CodeSha256, l.CodeSize = c.location, c.unzipped, c.sha256, c.size
	if len(in.Architectures) > 0 {
		l.Architectures = in.Architectures
	}
	s.startUpdate(f)
	out := l.Configuration
	if in.Publish {
		v := s.publish(f, nil, in.PublishTo)
		s.prepare(v, s.options.UpdateDuration)
		out = v.Configuration
	}
	return out
}

// aliasName is a qualifier that can only name an alias.
var aliasName = regexp.MustCompile(`^[0-9]*[a-zA-Z_-]`)

func deleteFunction(s *Server, r *request) any {
	t := r.target()
	if t.qualifier == latestVersion {
		panic(invalidParameter("$LATEST version cannot be deleted without deleting the function."))
	}
	if aliasName.MatchString(t.qualifier) {
		panic(invalidParameter("Deletion of aliases is not currently supported."))
	}
	h := r.home
	f := h.functions[t.name]
	if f == nil {
		panic(notFound("Function not found: %s", h.arn("function:"+t.name)))
	}
	s.completeAll(f)
	if v := f.versionOf(t.qualifier); v != nil && (v.State == statePending || v.State == stateDeleting) {
		panic(notNow(v.State))
	}
	if t.qualifier == "" {
		return s.deleting(h, t.name)
	}
	if t.qualifier == publishedVersion {
		f.latestPublished, f.republished = nil, false
		return nil
	}
	if users := f.aliasesOf(t.qualifier); len(users) > 0 {
		panic(conflict("Unable to delete version because the following aliases reference it: [%s]",
			strings.Join(users, ", ")))
	}
	f.versions = slices.DeleteFunc(f.versions, func(v *instance) bool { return v.Version == t.qualifier })
	delete(h.policies, f.latest.FunctionArn+":"+t.qualifier)
	f.forget(t.qualifier)
	if f.published == t.qualifier {
		f.published = ""
	}
	return nil
}
