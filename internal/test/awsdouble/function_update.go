package awsdouble

import "net/http"

func updateFunctionConfiguration(s *Server, r *request) (*answer, error) {
	in := struct {
		settings
		RevisionId string //nolint:revive // Lambda's spelling
	}{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	if err := in.settings.check(r, &f.latest.Configuration); err != nil {
		return nil, err
	}
	if err := in.checkManaged(&f.latest.Configuration); err != nil {
		return nil, err
	}
	if err := in.checkDurable(&f.latest.Configuration); err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	if err := h.checkExist(in.Layers); err != nil {
		return nil, err
	}
	if err := h.checkUnpacked(f.latest.unzipped, in.Layers); err != nil {
		return nil, err
	}
	if err := in.checkNetwork(s); err != nil {
		return nil, err
	}
	if err := s.checkRole(r, in.Role); err != nil {
		return nil, err
	}
	if err := updatable(f); err != nil {
		return nil, err
	}
	if err := checkRevision(f, in.RevisionId); err != nil {
		return nil, err
	}
	in.settings.apply(&f.latest.Configuration, h)
	s.startUpdate(f)
	return &answer{status: http.StatusOK, json: f.latest.Configuration}, nil
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

func updateFunctionCode(s *Server, r *request) (*answer, error) {
	in := updateCodeInput{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, err := s.unqualified(r)
	if err != nil {
		return nil, err
	}
	if err := in.fits(f); err != nil {
		return nil, err
	}
	if err := updatable(f); err != nil {
		return nil, err
	}
	if err := checkRevision(f, in.RevisionId); err != nil {
		return nil, err
	}
	c, err := s.resolve(in.codeInput, f.latest.FunctionName)
	if err != nil {
		return nil, err
	}
	if err := s.home(r.account, r.region).checkStorage(c.size, f.latest.CodeSize); err != nil {
		return nil, err
	}
	if err := s.home(r.account, r.region).checkUnpacked(c.unzipped, f.latest.layerARNs()); err != nil {
		return nil, err
	}
	if in.DryRun {
		out := f.latest.Configuration
		out.CodeSha256, out.CodeSize = c.sha256, c.size
		return &answer{status: http.StatusOK, json: out}, nil
	}
	return s.replaceCode(f, &in, c), nil
}

// fits rejects an image for a zip function and the reverse.
func (in *updateCodeInput) fits(f *function) error {
	switch {
	case f.latest.PackageType == "Image" && in.ImageUri == "":
		return invalidParameter("Please provide ImageUri when updating a function with packageType Image.")
	case f.latest.PackageType == "Zip" && in.ImageUri != "":
		return invalidParameter("Please don't provide ImageUri when updating a function with packageType Zip.")
	}
	return nil
}

func (s *Server) replaceCode(f *function, in *updateCodeInput, c code) *answer {
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
	return &answer{status: http.StatusOK, json: out}
}
