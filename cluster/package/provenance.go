package main

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	// provenanceExtension is the file name extension of the provenance.
	provenanceExtension = ".provenance.json"
	// statementType and slsaType are the types of an in-toto statement and of SLSA's provenance.
	statementType = "https://in-toto.io/Statement/v1"
	slsaType      = "https://slsa.dev/provenance/v1"
	// buildDocument is the page of the repository that describes a build.
	buildDocument = "/blob/main/docs/design/package.md#provenance"
	// localBuilder is the builder of local builds, in the repository.
	localBuilder = "/tree/main/cluster/package"
)

// commit matches a Git commit without changes.
var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// A statement is an in-toto statement.
type statement struct {
	Type          string       `json:"_type"`
	Subject       []descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     any          `json:"predicate"`
}

// A descriptor is in-toto's descriptor of a resource.
type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

// A buildRun is the build that a provenance describes.
type buildRun struct {
	release release
	// source is the repository.
	source string
	// subjects are the files and images that were built.
	subjects []descriptor
	// infos are the build information that the Go linker wrote into the programs.
	infos []*debug.BuildInfo
}

// provenance returns the package's sources and builder: SLSA's provenance in an in-toto statement, as JSON.
func (b *built) provenance() ([]byte, error) {
	digest, err := b.index.Digest() // The package is pushed by it.
	if err != nil {
		return nil, err
	}
	run := buildRun{release: b.release, source: b.meta.Annotations[annotationSource]}
	run.subjects = append(run.subjects, subject(packageName+"-"+b.release.Version, digest))
	for _, i := range b.images {
		digest, err := i.image.Digest()
		if err != nil {
			return nil, err
		}
		run.subjects = append(run.subjects, subject(fileName(b.release.Version, i.platform), digest))
		run.infos = append(run.infos, i.info)
	}
	return run.statement()
}

func subject(name string, digest v1.Hash) descriptor {
	return descriptor{Name: name, Digest: map[string]string{digest.Algorithm: digest.Hex}}
}

// statement returns the provenance as an in-toto statement, as JSON.
func (b buildRun) statement() ([]byte, error) {
	predicate, err := b.predicate()
	if err != nil {
		return nil, err
	}
	return indented(statement{Type: statementType, Subject: b.subjects, PredicateType: slsaType, Predicate: predicate})
}

// predicate returns the predicate of the provenance. It contains no time, so that it is reproducible.
func (b buildRun) predicate() (map[string]any, error) {
	dependencies, err := b.resolved()
	if err != nil {
		return nil, err
	}
	platforms := make([]string, 0, len(b.release.Platforms))
	for _, p := range b.release.Platforms {
		platforms = append(platforms, p.String())
	}
	run := map[string]any{"builder": map[string]string{"id": cmp.Or(b.release.Builder, b.source+localBuilder)}}
	if b.release.Invocation != "" {
		run["metadata"] = map[string]string{"invocationId": b.release.Invocation}
	}
	return map[string]any{
		"buildDefinition": map[string]any{
			"buildType": b.source + buildDocument,
			"externalParameters": map[string]any{
				"source": gitURI(b.source, b.release.Revision), "version": b.release.Version, "platforms": platforms,
			},
			"internalParameters":   map[string]string{"environment": strings.Join(settings, " ")},
			"resolvedDependencies": dependencies,
		},
		"runDetails": run,
	}, nil
}

// resolved returns the commit, Go's standard library, which comes with its compiler, and all modules of all
// platforms.
func (b buildRun) resolved() ([]descriptor, error) {
	repository := descriptor{URI: gitURI(b.source, b.release.Revision)}
	if commit.MatchString(b.release.Revision) {
		repository.Digest = map[string]string{"gitCommit": b.release.Revision}
	}
	all := []descriptor{repository}
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
func dependency(m *debug.Module) (descriptor, error) {
	d := descriptor{URI: packageURL(m.Path, m.Version)}
	if m.Sum == "" {
		return d, nil
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil {
		return d, fmt.Errorf("cannot read the checksum %q of %s: %w", m.Sum, m.Path, err)
	}
	d.Digest = map[string]string{"dirHash": hex.EncodeToString(sum)}
	return d, nil
}

// gitURI returns the URI of a repository, and of a commit if it is known.
func gitURI(source, revision string) string {
	if revision == "" {
		return "git+" + source
	}
	return "git+" + source + "@" + revision
}

// indented returns a value as reproducible JSON.
func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
