package awsdouble

func updateFunctionConfiguration(s *Server, r *request) any {
	in := decoded[struct {
		settings
		RevisionId string //nolint:revive // Lambda's spelling
	}](r)
	f := s.unqualified(r)
	in.settings.check(r, &f.latest.Configuration)
	in.checkManaged(&f.latest.Configuration)
	in.checkDurable(&f.latest.Configuration)
	h := r.home
	h.checkExist(in.Layers)
	h.checkUnpacked(f.latest.unzipped, in.Layers)
	in.checkNetwork(s)
	s.checkRole(r, in.Role)
	updatable(f)
	checkRevision(f, in.RevisionId)
	in.settings.apply(&f.latest.Configuration, h)
	s.startUpdate(f)
	return f.latest.Configuration
}

// updateCodeInput is UpdateFunctionCode's body.
type updateCodeInput struct {
	codeInput
	Architectures []string
	DryRun        bool
	Publish       bool
	PublishTo     string
	RevisionId    string //nolint:revive // Lambda's spelling
}

func updateFunctionCode(s *Server, r *request) any {
	in := decoded[updateCodeInput](r)
	f := s.unqualified(r)
	in.fits(f)
	updatable(f)
	checkRevision(f, in.RevisionId)
	c := s.resolve(in.codeInput, f.latest.FunctionName)
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
	switch {
	case f.latest.PackageType == "Image" && in.ImageUri == "":
		panic(invalidParameter("Please provide ImageUri when updating a function with packageType Image."))
	case f.latest.PackageType == "Zip" && in.ImageUri != "":
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
