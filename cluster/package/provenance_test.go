package main

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// readStatement parses a provenance as its verifiers do.
func readStatement(t *testing.T, b *built) (*intoto.Statement, *slsa.Provenance) {
	t.Helper()
	text, err := b.provenance()
	if err != nil {
		t.Fatal(err)
	}
	s, p := &intoto.Statement{}, &slsa.Provenance{}
	if err := errors.Join(protojson.Unmarshal(text, s), s.Validate()); err != nil {
		t.Fatal(err)
	}
	predicate, err := protojson.Marshal(s.GetPredicate())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(protojson.Unmarshal(predicate, p), p.Validate()); err != nil {
		t.Fatal(err)
	}
	return s, p
}

func TestProvenanceSubjects(t *testing.T) {
	b := builtPackage(t)
	s, _ := readStatement(t, b)
	index, err := b.index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"provider-lambda-v1.2.3-test " + index.Hex}
	for _, i := range b.images {
		digest, err := i.image.Digest()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, "provider-lambda-v1.2.3-test-linux-"+i.platform.Architecture+" "+digest.Hex)
	}
	var got []string
	for _, r := range s.GetSubject() {
		got = append(got, r.GetName()+" "+r.GetDigest()["sha256"])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("subjects: -want, +got:\n%s", diff)
	}
	if s.GetType() != "https://in-toto.io/Statement/v1" || s.GetPredicateType() != "https://slsa.dev/provenance/v1" {
		t.Errorf("the provenance is a %s of a %s", s.GetType(), s.GetPredicateType())
	}
}

func TestProvenanceOfTheFixture(t *testing.T) {
	_, p := readStatement(t, builtPackage(t))
	const source = "https://github.com/crossplane-contrib/provider-lambda"
	const revision = "0123456789abcdef0123456789abcdef01234567"
	want := map[string]any{
		"source":    "git+" + source + "@" + revision,
		"version":   "v1.2.3-test",
		"platforms": []any{"linux/amd64", "linux/arm64"},
	}
	if diff := cmp.Diff(want, p.GetBuildDefinition().GetExternalParameters().AsMap()); diff != "" {
		t.Errorf("parameters: -want, +got:\n%s", diff)
	}
	var got []string
	for _, d := range p.GetBuildDefinition().GetResolvedDependencies() {
		got = append(got, d.GetUri()+" "+d.GetDigest()["gitCommit"])
	}
	library := "pkg:golang/stdlib@" + strings.TrimPrefix(runtime.Version(), "go") + " "
	if diff := cmp.Diff([]string{"git+" + source + "@" + revision + " " + revision, library}, got); diff != "" {
		t.Errorf("dependencies: -want, +got:\n%s", diff)
	}
	if id := p.GetRunDetails().GetBuilder().GetId(); id != source+"/tree/main/cluster/package" {
		t.Errorf("the builder is %s, want one that says that nobody vouches for it", id)
	}
	if p.GetRunDetails().GetMetadata() != nil {
		t.Errorf("nobody named a run, got %v", p.GetRunDetails().GetMetadata())
	}
}

func TestProvenanceNamesTheBuilder(t *testing.T) {
	b := *builtPackage(t)
	b.release.Builder, b.release.Invocation = "https://ci.example.org/release.yml@refs/tags/v1",
		"https://ci.example.org/runs/7"
	_, p := readStatement(t, &b)
	got := []string{p.GetRunDetails().GetBuilder().GetId(), p.GetRunDetails().GetMetadata().GetInvocationId()}
	if diff := cmp.Diff([]string{b.release.Builder, b.release.Invocation}, got); diff != "" {
		t.Errorf("who built it: -want, +got:\n%s", diff)
	}
}

func TestProvenanceOfChanges(t *testing.T) {
	for revision, want := range map[string]string{
		"": "git+https://github.com/crossplane-contrib/provider-lambda",
		"0123456789abcdef0123456789abcdef01234567-dirty": "git+https://github.com/crossplane-contrib/provider-lambda@0123456789abcdef0123456789abcdef01234567-dirty",
	} {
		b := *builtPackage(t)
		b.release.Revision = revision
		_, p := readStatement(t, &b)
		d := p.GetBuildDefinition().GetResolvedDependencies()[0]
		if d.GetUri() != want || len(d.GetDigest()) != 0 {
			t.Errorf("built from %q: got %s %v, want %s and no digest of a commit", revision, d.GetUri(), d.GetDigest(),
				want)
		}
	}
}

func TestDependencyChecksum(t *testing.T) {
	d, err := dependency(&debug.Module{
		Path: "github.com/Masterminds/semver/v3", Version: "v3.4.0",
		Sum: "h1:Khu2En+0gcYPZ2kuIihfswbzxv/mIHXgzPZ018Oty48=",
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "2a1bb6127fb481c60f67692e22285fb306f3c6ffe62075e0ccf674d7c3adcb8f"
	if got := d.Digest["dirHash"]; got != want || d.URI != "pkg:golang/github.com/masterminds/semver/v3@v3.4.0" {
		t.Errorf("got %s with the checksum %s, want %s", d.URI, got, want)
	}
	if _, err := dependency(&debug.Module{Path: "example.org/m", Sum: "h1:?"}); err == nil ||
		!strings.Contains(err.Error(), "checksum") {
		t.Errorf("dependency(): got error %v, want one about the checksum", err)
	}
}
