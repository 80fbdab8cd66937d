package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"sigs.k8s.io/yaml"
)

const (
	// pluginName is the plugin's name in Krew, and the subcommand of kubectl.
	pluginName = "lambda"
	// downloads is where releases are downloaded from.
	downloads = "https://" + module + "/releases/download/"
)

// pluginPlatforms are those that the plugin is built for.
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

// buildPlugin writes an archive for each platform, with the plugin and its licenses, and the manifest by which Krew
// installs it. It prints their paths. The archives contain no times, so that they change only with their files.
func buildPlugin(ctx context.Context, r release, dir string, out io.Writer) error {
	if !krewVersion.MatchString(r.Version) {
		return fmt.Errorf("a plugin cannot have the version %q: Krew needs a semantic version with v in front, as in v1.2.3", r.Version)
	}
	license, err := os.ReadFile(filepath.Join(r.Root, licenseFile))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // Whoever may read the repository may read what is built of it.
		return err
	}
	write := func(name string, content []byte) error {
		path := filepath.Join(dir, name)
		_, _ = fmt.Fprintln(out, path)
		return os.WriteFile(path, content, 0o644) //nolint:gosec // As above.
	}
	m := newKrewManifest(r.Version)
	for _, p := range r.Platforms {
		archive, err := pluginArchive(ctx, r, p, license)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		name := fmt.Sprintf("%s-%s-%s-%s.tar.gz", pluginProgram, r.Version, p.OS, p.Architecture)
		if err := write(name, archive); err != nil {
			return err
		}
		m.add(p, name, archive)
	}
	content, err := yaml.Marshal(m)
	if err != nil {
		return err
	}
	return write(pluginName+".yaml", content)
}

// pluginArchive returns the archive of a platform.
func pluginArchive(ctx context.Context, r release, p v1.Platform, license []byte) ([]byte, error) {
	binary, err := compile(ctx, r, pluginProgram, p)
	if err != nil {
		return nil, err
	}
	components, err := thirdParties(ctx, r.Root, pluginProgram, p)
	if err != nil {
		return nil, fmt.Errorf("cannot collect the licenses of what the plugin is built from: %w", err)
	}
	files := []file{
		{name: "LICENSE", mode: 0o644, content: license},
		{name: "NOTICE", mode: 0o644, content: notice(components)},
		{name: executable(pluginProgram, p), mode: 0o755, content: binary},
	}
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
			Description: "Shows what Crossplane's provider-lambda would do in AWS about a manifest, the state of a Function\n" +
				"and of what belongs to it, and the rollout of an Alias. Invokes functions and prints their logs.\n",
		},
	}
}

// add adds the archive of a platform.
func (m *krewManifest) add(p v1.Platform, name string, archive []byte) {
	sum := sha256.Sum256(archive)
	m.Spec.Platforms = append(m.Spec.Platforms, krewPlatform{
		Selector: krewSelector{MatchLabels: map[string]string{"os": p.OS, "arch": p.Architecture}},
		URI:      downloads + m.Spec.Version + "/" + name,
		SHA256:   hex.EncodeToString(sum[:]),
		Bin:      executable(pluginProgram, p),
	})
}
