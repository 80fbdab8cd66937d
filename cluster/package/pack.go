package main

import (
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/examples"
	packageyaml "github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/yaml"
)

// layerNames are the names of the package's layers, in their order.
var layerNames = []string{"files", "provider", "package.yaml", "examples"}

// pack adds the package's layers to the provider's image, with Crossplane's own builder: it parses the contents and
// checks that it is a valid package of a provider.
func (c *contents) pack(ctx context.Context, r release, runtime v1.Image) (v1.Image, error) {
	meta, err := yaml.Marshal(c.meta)
	if err != nil {
		return nil, err
	}
	p, err := packageyaml.New()
	if err != nil {
		return nil, err
	}
	stream := parser.NewEchoBackend(string(meta) + "---\n" + c.objects)
	packed, _, err := xpkg.New(stream, parser.NewEchoBackend(c.examples), p, examples.New()).Build(ctx,
		xpkg.WithBase(runtime))
	if err != nil {
		return nil, err
	}
	return finish(r, c, packed)
}

// finish converts the output of Crossplane's builder to an OCI image: its media types are Docker's, which do not
// support annotations, and it marks the package's layers with labels, which its CLI converts to annotations when it
// pushes.
func finish(r release, c *contents, packed v1.Image) (v1.Image, error) {
	cfg, err := packed.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, err := packed.Layers()
	if err != nil {
		return nil, err
	}
	if len(layers) != len(layerNames) {
		return nil, fmt.Errorf("the package has %d layers, want %d", len(layers), len(layerNames))
	}
	cfg = cfg.DeepCopy()
	cfg.History = nil
	adds := make([]mutate.Addendum, 0, len(layers))
	for i, l := range layers {
		digest, err := l.Digest()
		if err != nil {
			return nil, err
		}
		add := mutate.Addendum{Layer: l, MediaType: types.OCILayer}
		if kind, ok := cfg.Config.Labels[xpkg.Label(digest.String())]; ok {
			add.Annotations = map[string]string{xpkg.AnnotationKey: kind}
		}
		adds = append(adds, add)
		cfg.History = append(cfg.History,
			v1.History{Created: v1.Time{Time: r.Created}, CreatedBy: "make xpkg", Comment: layerNames[i]})
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.Append(image, adds...); err != nil {
		return nil, err
	}
	if image, err = mutate.ConfigFile(image, cfg); err != nil {
		return nil, err
	}
	annotated, ok := mutate.Annotations(image, annotations(r, c.meta)).(v1.Image)
	if !ok {
		return nil, fmt.Errorf("an image with annotations is a %T", annotated)
	}
	return annotated, nil
}
