package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
)

// The paths of the package's contents in the repository.
const (
	metaFile       = "crossplane.yaml"
	iconFile       = "package/icon.svg"
	licenseFile    = "LICENSE"
	objectsFolder  = "package/crds"
	examplesFolder = "examples"
)

// The annotations of a package's metadata.
const (
	annotationName        = "friendly-name.meta.crossplane.io"
	annotationMaintainer  = "meta.crossplane.io/maintainer"
	annotationSource      = "meta.crossplane.io/source"
	annotationLicense     = "meta.crossplane.io/license"
	annotationDescription = "meta.crossplane.io/description"
	annotationReadme      = "meta.crossplane.io/readme"
	annotationIcon        = "meta.crossplane.io/iconURI"
)

// contents are the contents of the package besides the provider.
type contents struct {
	// meta is the content of crossplane.yaml, with the icon.
	meta *pkgmetav1.Provider
	// objects that Crossplane installs, and examples that it ignores: streams of YAML, in the order of the files'
	// names.
	objects, examples string
	license           []byte
}

// readContents reads the contents from a repository.
func readContents(root fs.FS) (*contents, error) {
	meta, err := readMeta(root)
	if err != nil {
		return nil, err
	}
	objects, err := readManifests(root, objectsFolder)
	if err != nil {
		return nil, err
	}
	examples, err := readManifests(root, examplesFolder)
	if err != nil {
		return nil, err
	}
	license, err := fs.ReadFile(root, licenseFile)
	if err != nil {
		return nil, err
	}
	return &contents{meta: meta, objects: objects, examples: examples, license: license}, nil
}

// readMeta reads crossplane.yaml and adds the icon.
func readMeta(root fs.FS) (*pkgmetav1.Provider, error) {
	b, err := fs.ReadFile(root, metaFile)
	if err != nil {
		return nil, err
	}
	meta := &pkgmetav1.Provider{}
	if err := yaml.UnmarshalStrict(b, meta); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", metaFile, err)
	}
	if meta.GetName() != packageName {
		return nil, fmt.Errorf("%s is of a package called %q, want %q", metaFile, meta.GetName(), packageName)
	}
	for _, a := range []string{
		annotationName, annotationMaintainer, annotationSource, annotationLicense,
		annotationDescription, annotationReadme,
	} {
		if strings.TrimSpace(meta.Annotations[a]) == "" {
			return nil, fmt.Errorf("%s lacks the annotation %s", metaFile, a)
		}
	}
	icon, err := fs.ReadFile(root, iconFile)
	if err != nil {
		return nil, err
	}
	meta.Annotations[annotationIcon] = "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(icon)
	return meta, nil
}

// readManifests reads all YAML files of a folder and its subfolders.
func readManifests(root fs.FS, folder string) (string, error) {
	var documents []string
	err := fs.WalkDir(root, folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, path.Ext(file)) {
			return err
		}
		b, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		documents = append(documents, strings.TrimSpace(strings.TrimPrefix(string(b), "---\n"))+"\n")
		return nil
	})
	if err == nil && len(documents) == 0 {
		err = errors.New("there is no YAML file in it")
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the manifests of %s: %w", folder, err)
	}
	return strings.Join(documents, "---\n"), nil
}
