package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// keyless selects a signature by identity instead of by a key.
const keyless = "keyless"

// A signer signs packages in a registry with cosign, which must be on the PATH. This program never reads a key:
// cosign receives its location, and asks for its password or for an identity itself.
type signer struct {
	cosign string
	// key is a file or the URI of a key management service, or keyless.
	key string
	out io.Writer
}

// newSigner returns a signer with a key, or keyless.
func newSigner(key string, out io.Writer) (*signer, error) {
	cosign, err := exec.LookPath("cosign")
	if err != nil {
		return nil, fmt.Errorf("cosign signs packages, and is not on the PATH: install it "+
			"(https://docs.sigstore.dev/cosign/system_config/installation/), or push without signing: %w", err)
	}
	return &signer{cosign: cosign, key: key, out: out}, nil
}

// A signing lists the artifacts to sign.
type signing struct {
	digest   v1.Hash
	revision string
	// predicate of the provenance.
	predicate []byte
	bills     []bill
}

// A bill is a bill of materials: its image, and its file.
type bill struct {
	image v1.Hash
	file  string
}

// prepare reads the built package. It rejects one that was built from a commit with uncommitted changes, because its
// source cannot be identified.
func (s *signer) prepare(dir, version string) (*signing, error) {
	p, err := readBuilt(dir, version)
	if err != nil {
		return nil, fmt.Errorf("cannot read what was built, `make xpkg` builds it: %w", err)
	}
	return p, checkRevision(p.revision)
}

// checkRevision returns an error if what is built must not be signed: its source cannot be identified.
func checkRevision(revision string) error {
	if !commit.MatchString(revision) {
		return fmt.Errorf("cannot sign what is built from %q, which is no commit: commit what you changed, "+
			"and build it anew", revision)
	}
	return nil
}

// readBuilt reads the package of an OCI image layout, and the files beside it.
func readBuilt(dir, version string) (*signing, error) {
	all, err := layout.ImageIndexFromPath(layoutPath(dir, version))
	if err != nil {
		return nil, err
	}
	manifest, err := all.IndexManifest()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(manifest.Manifests, func(d v1.Descriptor) bool { return d.MediaType.IsIndex() })
	if at < 0 {
		return nil, errors.New("there is no package in it")
	}
	index, err := all.ImageIndex(manifest.Manifests[at].Digest)
	if err != nil {
		return nil, err
	}
	images, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	p := &signing{
		digest:   manifest.Manifests[at].Digest,
		revision: images.Annotations["org.opencontainers.image.revision"],
	}
	for _, d := range images.Manifests {
		p.bills = append(p.bills,
			bill{image: d.Digest, file: filepath.Join(dir, fileName(version, *d.Platform)+sbomExtension)})
	}
	p.predicate, err = readPredicate(filepath.Join(dir, packageName+"-"+version+provenanceExtension), p.digest)
	return p, err
}

// readPredicate reads the provenance of a package.
func readPredicate(file string, of v1.Hash) ([]byte, error) {
	content, err := os.ReadFile(file) //nolint:gosec // The caller chooses the folder.
	if err != nil {
		return nil, err
	}
	var s struct {
		Subject []struct {
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		Predicate json.RawMessage `json:"predicate"`
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(s.Subject) == 0 || s.Subject[0].Digest[of.Algorithm] != of.Hex {
		return nil, fmt.Errorf("%s is not of the package %s", file, of)
	}
	return s.Predicate, nil
}

// sign signs the package and its images, and attaches signed provenance and bills of materials.
func (s *signer) sign(ctx context.Context, p *signing, to name.Repository) error {
	dir, err := os.MkdirTemp("", "provider-lambda-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "predicate.json")
	if err := os.WriteFile(file, p.predicate, 0o600); err != nil {
		return err
	}
	image := to.Digest(p.digest.String())
	if err := s.signImage(ctx, image, "sign", "--recursive"); err != nil {
		return err
	}
	if err := s.signImage(ctx, image, "attest", "--type=slsaprovenance1", "--predicate="+file); err != nil {
		return err
	}
	for _, b := range p.bills {
		if err := s.signImage(ctx, to.Digest(b.image.String()), "attest", "--type=spdxjson", "--predicate="+
			b.file); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(s.out, "signed", image)
	return nil
}

// oldFormat are flags that request the format of older versions of cosign from newer ones. Crossplane reads signatures
// in that format. Newer versions look for it if there is no signature in their own.
var oldFormat = []string{"--new-bundle-format=false", "--use-signing-config=false"}

// signImage signs or attests an image.
func (s *signer) signImage(ctx context.Context, image name.Digest, command string, args ...string) error {
	return s.run(ctx, command, slices.Concat(oldFormat, args), image.String())
}

// attestFile attests a file by a predicate, and writes the attestation with its signature to a bundle beside the file.
func (s *signer) attestFile(ctx context.Context, file, predicateType, predicate, extension string) error {
	flags := []string{"--new-bundle-format", "--type=" + predicateType, "--predicate=" + predicate}
	return s.run(ctx, "attest-blob", append(flags, "--bundle="+file+extension), file)
}

// run runs cosign.
func (s *signer) run(ctx context.Context, command string, flags []string, of string) error {
	all := append([]string{command, "--yes"}, flags...)
	if s.key != keyless {
		all = append(all, "--key="+s.key)
	}
	cmd := exec.CommandContext(ctx, s.cosign, append(all, of)...) //nolint:gosec // The arguments are not user input.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cosign %s failed, see above; it takes v2.6 or later: %w", strings.Join(all, " "), err)
	}
	return nil
}
