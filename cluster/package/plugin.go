package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"sigs.k8s.io/yaml"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
)

const (
	// pluginName is the plugin's name in Krew, and the subcommand of kubectl.
	pluginName = "lambda"
	// downloads is the address from which releases are downloaded.
	downloads = "https://" + module + "/releases/download/"
	// archiveExtension is the file name extension of archives, and the bundles are those of their attestations.
	archiveExtension = ".tar.gz"
	provenanceBundle = ".provenance.sigstore.json"
	sbomBundle       = ".spdx.sigstore.json"
)

// pluginPlatforms are the platforms of the plugin.
var pluginPlatforms = []v1.Platform{
	{OS: "darwin", Architecture: "amd64"},
	{OS: "darwin", Architecture: "arm64"},
	{OS: "linux", Architecture: "amd64"},
	{OS: "linux", Architecture: "arm64"},
	{OS: "windows", Architecture: "amd64"},
}

// krewVersion matches the versions that Krew accepts.
var krewVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// A krewManifest is a plugin manifest, krew.googlecontainertools.github.com/v1alpha2.
type krewManifest struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Spec       krewSpec       `json:"spec"`
}

type krewSpec struct {
	Version          string         `json:"version"`
	Homepage         string         `json:"homepage"`
	ShortDescription string         `json:"shortDescription"`
	Description      string         `json:"description"`
	Platforms        []krewPlatform `json:"platforms"`
}

type krewPlatform struct {
	Selector krewSelector `json:"selector"`
	URI      string       `json:"uri"`
	SHA256   string       `json:"sha256"`
	Bin      string       `json:"bin"`
}

type krewSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

// A builtPlugin is the plugin for one platform.
type builtPlugin struct {
	// name of the files, without an extension.
	name    string
	archive []byte
	// sbom is the bill of materials as SPDX JSON.
	sbom []byte
	info *debug.BuildInfo
}

// buildPlugin builds the plugin and prints the paths of what it writes:
//
//   - an archive for each platform, with the plugin and its licenses. It contains no times, so that it changes only
//     with its files;
//   - the bill of materials for each platform;
//   - the provenance of the archives;
//   - the manifest by which Krew installs them;
//   - with a signer, the signed provenance and the signed bill of materials of each archive, as Sigstore bundles.
func buildPlugin(ctx context.Context, r release, dir string, s *signer, out io.Writer) error {
	if !krewVersion.MatchString(r.Version) {
		return fmt.Errorf("a plugin cannot have the version %q: Krew needs a semantic version with v in front, as in "+
			"v1.2.3", r.Version)
	}
	if s != nil {
		if err := checkRevision(r.Revision); err != nil {
			return err
		}
	}
	meta, err := readMeta(os.DirFS(r.Root))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, //nolint:gosec // Whoever may read the repository may read what is built of it.
		0o755); err != nil {
		return err
	}
	write := func(name string, content []byte) error {
		path := filepath.Join(dir, name)
		_, _ = fmt.Fprintln(out, path)
		return os.WriteFile(path, content, 0o644) //nolint:gosec // As above.
	}
	m, run := newKrewManifest(r.Version), buildRun{release: r, source: meta.Annotations[annotationSource]}
	var archives []string
	for _, p := range r.Platforms {
		b, err := buildPluginFor(ctx, r, meta, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		name := b.name + archiveExtension
		if err := errors.Join(write(name, b.archive), write(b.name+sbomExtension, b.sbom)); err != nil {
			return err
		}
		sum := sha256.Sum256(b.archive)
		digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
		m.add(p, name, digest)
		run.subjects, run.infos = append(run.subjects, subject(name, digest)), append(run.infos, b.info)
		archives = append(archives, b.name)
	}
	content, err := yaml.Marshal(m)
	if err != nil {
		return err
	}
	provenance, err := run.statement()
	if err != nil {
		return fmt.Errorf("cannot say what the plugin was built from: %w", err)
	}
	name := pluginProgram + "-" + r.Version + provenanceExtension
	if err := errors.Join(write(name, provenance), write(pluginName+".yaml", content)); err != nil {
		return err
	}
	if s == nil {
		return nil
	}
	return s.attestPlugin(ctx, run, dir, archives)
}

// attestPlugin attests the archives by their provenance and their bills of materials.
func (s *signer) attestPlugin(ctx context.Context, run buildRun, dir string, archives []string) error {
	predicate, err := run.predicate()
	if err != nil {
		return err
	}
	text, err := indented(predicate)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "provider-lambda-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, "predicate.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	for _, name := range archives {
		path := filepath.Join(dir, name)
		if err := s.attestFile(ctx, path+archiveExtension, "slsaprovenance1", file, provenanceBundle); err != nil {
			return err
		}
		if err := s.attestFile(ctx, path+archiveExtension, "spdxjson", path+sbomExtension, sbomBundle); err != nil {
			return err
		}
		_, _ = fmt.Fprintln(s.out, "attested", path+archiveExtension)
	}
	return nil
}

func buildPluginFor(ctx context.Context, r release, meta *pkgmetav1.Provider, p v1.Platform) (*builtPlugin, error) {
	license, err := os.ReadFile(filepath.Join(r.Root, licenseFile))
	if err != nil {
		return nil, err
	}
	binary, err := compile(ctx, r, pluginProgram, p)
	if err != nil {
		return nil, err
	}
	b := &builtPlugin{name: fmt.Sprintf("%s-%s-%s-%s", pluginProgram, r.Version, p.OS, p.Architecture)}
	if b.info, err = buildinfo.Read(bytes.NewReader(binary)); err != nil {
		return nil, fmt.Errorf("cannot tell what the plugin is built from: %w", err)
	}
	components, err := thirdParties(ctx, r.Root, pluginProgram, p)
	if err != nil {
		return nil, fmt.Errorf("cannot collect the licenses of what the plugin is built from: %w", err)
	}
	program := executable(pluginProgram, p)
	of := described{name: pluginProgram, file: program, document: b.name, binary: binary, info: b.info}
	if b.sbom, err = describe(r, meta, of, components); err != nil {
		return nil, fmt.Errorf("cannot list what the plugin is built from: %w", err)
	}
	b.archive, err = pluginArchive(
		file{name: "LICENSE", mode: 0o644, content: license},
		file{name: "NOTICE", mode: 0o644, content: notice(components)},
		file{name: of.file, mode: 0o755, content: binary},
	)
	return b, err
}

func pluginArchive(files ...file) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := writeTar(tar.NewWriter(z), files...); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func newKrewManifest(version string) *krewManifest {
	return &krewManifest{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2", Kind: "Plugin",
		Metadata: map[string]any{"name": pluginName},
		Spec: krewSpec{
			Version: version, Homepage: "https://" + module,
			ShortDescription: "Plan, inspect and operate AWS Lambda functions",
			Description: "Shows what Crossplane's provider-lambda would do in AWS about a manifest, the state of a " +
				"Function\n" +
				"and of what belongs to it, and the rollout of an Alias. Invokes functions and prints their logs.\n",
		},
	}
}

func (m *krewManifest) add(p v1.Platform, name string, digest v1.Hash) {
	m.Spec.Platforms = append(m.Spec.Platforms, krewPlatform{
		Selector: krewSelector{MatchLabels: map[string]string{"os": p.OS, "arch": p.Architecture}},
		URI:      downloads + m.Spec.Version + "/" + name,
		SHA256:   digest.Hex,
		Bin:      executable(pluginProgram, p),
	})
}
