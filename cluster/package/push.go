package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// push pushes an OCI image layout: the index with its images by a tag, and their attachments. Credentials are those
// of Docker's configuration, as `docker login` stores them. Registries on this machine and in private networks may
// use plain HTTP.
func push(ctx context.Context, folder string, tag name.Tag, out io.Writer) error {
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return fmt.Errorf("cannot read what was built, `make xpkg` builds it: %w", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	for _, d := range manifest.Manifests {
		if err := pushManifest(index, d, tag, options); err != nil {
			return explain(err)
		}
		if d.MediaType.IsIndex() {
			_, _ = fmt.Fprintln(out, "pushed", tag.String()+"@"+d.Digest.String())
		}
	}
	return nil
}

// pushManifest pushes the index by its tag, and everything else by its digest.
func pushManifest(from v1.ImageIndex, d v1.Descriptor, tag name.Tag, options []remote.Option) error {
	if d.MediaType.IsIndex() {
		index, err := from.ImageIndex(d.Digest)
		if err != nil {
			return err
		}
		return remote.WriteIndex(tag, index, options...)
	}
	image, err := from.Image(d.Digest)
	if err != nil {
		return err
	}
	return remote.Write(tag.Digest(d.Digest.String()), image, options...)
}

// explain adds to a registry's error what to do about it.
func explain(err error) error {
	refusal := &transport.Error{}
	if !errors.As(err, &refusal) {
		return err
	}
	switch refusal.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the registry does not let you in, log in to it with `docker login` or alike: %w", err)
	}
	return err
}
