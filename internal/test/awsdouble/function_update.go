package awsdouble

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

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
	s.checkRole(r, in.Role)
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
