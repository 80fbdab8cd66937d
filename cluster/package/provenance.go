package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	// provenanceExtension is the file name extension of the provenance.
	provenanceExtension = ".provenance.json"
	// slsaType is the type of SLSA's provenance.
	slsaType = "https://slsa.dev/provenance/v1"
	// buildDocument is the page of the repository that describes a build.
	buildDocument = "/blob/main/docs/design/package.md#provenance"
	// localBuilder is the builder of local builds, in the repository.
	localBuilder = "/tree/main/cluster/package"
)

// commit matches a Git commit without changes.
var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// A buildRun is the build that a provenance describes.
type buildRun struct {
	release release
	// source is the repository.
	source string
	// subjects are the files and images that were built.
	subjects []*intoto.ResourceDescriptor
	// infos are the build information that the Go linker wrote into the programs.
	infos []*debug.BuildInfo
}

// provenance returns the package's sources and builder: SLSA's provenance in an in-toto statement, as JSON.
func (b *built) provenance() ([]byte, error) {
	subjects, err := b.subjects()
	if err != nil {
		return nil, err
	}
	run := buildRun{release: b.release, source: b.meta.Annotations[annotationSource], subjects: subjects}
	for _, i := range b.images {
		run.infos = append(run.infos, i.info)
	}
	return run.statement()
}

// statement returns the provenance as an in-toto statement, as JSON.
func (b buildRun) statement() ([]byte, error) {
	predicate, err := b.predicate()
	if err != nil {
		return nil, err
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: b.subjects, PredicateType: slsaType, Predicate: predicate}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return marshal(s)
}

// subjects returns the package, by the digest under which it is pushed, and its images.
func (b *built) subjects() ([]*intoto.ResourceDescriptor, error) {
	digest, err := b.index.Digest()
	if err != nil {
		return nil, err
	}
	all := []*intoto.ResourceDescriptor{subject(packageName+"-"+b.release.Version, digest)}
	for _, i := range b.images {
		digest, err := i.image.Digest()
		if err != nil {
			return nil, err
		}
		all = append(all, subject(fileName(b.release.Version, i.platform), digest))
	}
	return all, nil
}

func subject(name string, digest v1.Hash) *intoto.ResourceDescriptor {
	return &intoto.ResourceDescriptor{Name: name, Digest: map[string]string{digest.Algorithm: digest.Hex}}
}

// predicate returns the predicate of the provenance. It contains no time, so that it is reproducible.
func (b buildRun) predicate() (*structpb.Struct, error) {
	source := b.source
	platforms := make([]any, 0, len(b.release.Platforms))
	for _, p := range b.release.Platforms {
		platforms = append(platforms, p.String())
	}
	external, err := structpb.NewStruct(map[string]any{"source": gitURI(source, b.release.Revision), "version": b.release.Version, "platforms": platforms})
	if err != nil {
		return nil, err
	}
	internal, err := structpb.NewStruct(map[string]any{"environment": strings.Join(settings, " ")})
	if err != nil {
		return nil, err
	}
	dependencies, err := b.resolved()
	if err != nil {
		return nil, err
	}
	builder := b.release.Builder
	if builder == "" {
		builder = source + localBuilder
	}
	p := &slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{
			BuildType:            source + buildDocument,
			ExternalParameters:   external,
			InternalParameters:   internal,
			ResolvedDependencies: dependencies,
		},
		RunDetails: &slsa.RunDetails{Builder: &slsa.Builder{Id: builder}},
	}
	if b.release.Invocation != "" {
		p.RunDetails.Metadata = &slsa.BuildMetadata{InvocationId: b.release.Invocation}
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	text, err := protojson.Marshal(p)
	if err != nil {
		return nil, err
	}
	predicate := &structpb.Struct{}
	return predicate, protojson.Unmarshal(text, predicate)
}

// resolved returns the commit, Go's standard library, which comes with its compiler, and all modules of all
// platforms.
func (b buildRun) resolved() ([]*intoto.ResourceDescriptor, error) {
	repository := &intoto.ResourceDescriptor{Uri: gitURI(b.source, b.release.Revision)}
	if commit.MatchString(b.release.Revision) {
		repository.Digest = map[string]string{intoto.AlgorithmGitCommit.String(): b.release.Revision}
	}
	all := []*intoto.ResourceDescriptor{repository}
	seen := map[string]bool{}
	for _, info := range b.infos {
		for _, m := range linked(info) {
			if seen[m.Path] {
				continue
			}
			seen[m.Path] = true
			d, err := dependency(m)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// dependency returns the descriptor of a module, with its checksum in go.sum.
func dependency(m *debug.Module) (*intoto.ResourceDescriptor, error) {
	d := &intoto.ResourceDescriptor{Uri: packageURL(m.Path, m.Version)}
	if m.Sum == "" {
		return d, nil
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the checksum %q of %s: %w", m.Sum, m.Path, err)
	}
	d.Digest = map[string]string{intoto.AlgorithmDirHash.String(): hex.EncodeToString(sum)}
	return d, nil
}

// gitURI returns the URI of a repository, and of a commit if it is known.
func gitURI(source, revision string) string {
	if revision == "" {
		return "git+" + source
	}
	return "git+" + source + "@" + revision
}

// marshal returns a message as reproducible JSON, which protojson's is not.
func marshal(m proto.Message) ([]byte, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
