package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
)

// unknown is SPDX's value for unknown information.
const unknown = "NOASSERTION"

// A described program is the subject of a bill of materials.
type described struct {
	// name of the program, and its file in what is released.
	name, file string
	// document is the name of the bill.
	document string
	binary   []byte
	// info is the build information that the Go linker wrote into it.
	info *debug.BuildInfo
}

// describe returns the dependencies of a program as SPDX JSON.
func describe(r release, meta *pkgmetav1.Provider, of described, components []component) ([]byte, error) {
	found, err := dependencies(of.info, components)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := spdxjson.Write(document(r, meta, of, found), &b, spdxjson.Indent("  ")); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// document returns the document of a program. Its namespace is derived from the program, so that it is reproducible
// and unique.
func document(r release, meta *pkgmetav1.Provider, of described, dependencies []*v2_3.Package) *v2_3.Document {
	sum := sha256.Sum256(of.binary)
	digest := hex.EncodeToString(sum[:])
	maintainer := meta.Annotations[annotationMaintainer]

	program := goPackage("program", of.info.Main.Path, r.Version)
	program.PackageName = of.name
	program.PackageFileName = of.file
	program.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: digest}}
	program.PackageLicenseDeclared = meta.Annotations[annotationLicense]
	program.PackageSupplier = &common.Supplier{SupplierType: "Organization", Supplier: maintainer}
	program.PrimaryPackagePurpose = "APPLICATION"
	if r.Revision != "" {
		program.PackageSourceInfo = fmt.Sprintf("Git commit %s of %s", r.Revision, meta.Annotations[annotationSource])
	}
	d := &v2_3.Document{
		SPDXVersion:       v2_3.Version,
		DataLicense:       v2_3.DataLicense,
		SPDXIdentifier:    "DOCUMENT",
		DocumentName:      of.document,
		DocumentNamespace: meta.Annotations[annotationSource] + "/spdx/" + digest,
		CreationInfo: &v2_3.CreationInfo{
			Creators: []common.Creator{
				{CreatorType: "Organization", Creator: maintainer},
				{CreatorType: "Tool", Creator: module + "/cluster/package"},
			},
			Created: r.Created.Format(time.RFC3339),
		},
		Packages:      []*v2_3.Package{program},
		Relationships: []*v2_3.Relationship{relationship("DOCUMENT", common.TypeRelationshipDescribe, "program")},
	}
	for i, dependency := range dependencies {
		dependency.PackageSPDXIdentifier = common.ElementID(fmt.Sprintf("module-%03d", i+1))
		d.Packages = append(d.Packages, dependency)
		d.Relationships = append(d.Relationships,
			relationship("program", common.TypeRelationshipDependsOn, dependency.PackageSPDXIdentifier))
	}
	return d
}

// dependencies returns Go's standard library and every module in the program, with their licenses.
func dependencies(info *debug.BuildInfo, components []component) ([]*v2_3.Package, error) {
	licenses := map[string]string{}
	for _, c := range components {
		licenses[c.path] = c.expression()
	}
	var found []*v2_3.Package
	for _, m := range linked(info) {
		p := goPackage("", m.Path, m.Version)
		if m.Sum != "" {
			p.PackageSourceInfo = "Go module with the checksum " + m.Sum
		}
		if p.PackageLicenseConcluded = licenses[m.Path]; p.PackageLicenseConcluded == "" {
			return nil, fmt.Errorf("the license of %s %s, which is in the program, is not known", m.Path, m.Version)
		}
		found = append(found, p)
	}
	return found, nil
}

// linked returns Go's standard library and the modules in a program.
func linked(info *debug.BuildInfo) []*debug.Module {
	version, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	found := []*debug.Module{{Path: standardLibraryName, Version: version}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		found = append(found, m)
	}
	return found
}

func goPackage(id common.ElementID, path, version string) *v2_3.Package {
	return &v2_3.Package{
		PackageSPDXIdentifier:     id,
		PackageName:               path,
		PackageVersion:            version,
		PackageDownloadLocation:   unknown,
		IsFilesAnalyzedTagPresent: true,
		PackageLicenseConcluded:   unknown,
		PackageLicenseDeclared:    unknown,
		PackageCopyrightText:      unknown,
		PackageExternalReferences: []*v2_3.PackageExternalReference{{
			Category: common.CategoryPackageManager,
			RefType:  common.TypePackageManagerPURL,
			Locator:  packageURL(path, version),
		}},
	}
}

// packageURL returns the package URL of a Go module, in lower case as its specification requires.
func packageURL(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + url.QueryEscape(version)
}

func relationship(a common.ElementID, is string, b common.ElementID) *v2_3.Relationship {
	return &v2_3.Relationship{
		RefA:         common.DocElementID{ElementRefID: a},
		Relationship: is,
		RefB:         common.DocElementID{ElementRefID: b},
	}
}
