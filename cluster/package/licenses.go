package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/licensecheck"
)

// allowedLicenses are the licenses that are allowed in the image, by their SPDX identifiers: those that require only
// a notice, and the Mozilla Public License, since everybody can fetch the source by the name and version in the
// notice.
var allowedLicenses = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0",
	"MPL-2.0", "Unlicense",
}

// coverage is the percentage of a license's text that must match a known one.
const coverage = 75

// standardLibraryName is the name of Go's standard library in lists of modules.
const standardLibraryName = "stdlib"

var (
	// licenseNames matches names of files with a license.
	licenseNames = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([.-].*)?$`)
	// docsLicenseNames matches names of files with the license of a module's documentation, which is not in the image.
	docsLicenseNames = regexp.MustCompile(`(?i)^licen[cs]e[.-]docs(\..*)?$`)
	// noticeNames matches names of files that must be distributed with it.
	noticeNames = regexp.MustCompile(`(?i)^(notice|patents|authors|copyright)([.-].*)?$`)
)

// A component is a module in the provider, or Go's standard library.
type component struct {
	path, version string
	// licenses are SPDX identifiers.
	licenses []string
	texts    []legalText
}

// String returns the name and version of the component.
func (c component) String() string { return strings.TrimSpace(c.path + " " + c.version) }

// A legalText is a license or a notice. Its name is the file's path in the module's folder.
type legalText struct {
	name, content string
}

// goPackageOf is the Go command's description of a package.
type goPackageOf struct {
	ImportPath string    `json:"ImportPath"`
	Dir        string    `json:"Dir"`
	Standard   bool      `json:"Standard"`
	Module     *goModule `json:"Module"`
}

type goModule struct {
	Path    string    `json:"Path"`
	Version string    `json:"Version"`
	Dir     string    `json:"Dir"`
	Main    bool      `json:"Main"`
	Replace *goModule `json:"Replace"`
}

// thirdParties returns the components of a program for a platform, in the order of their names, with all licenses
// and notices in the folders from a compiled package up to its module.
func thirdParties(ctx context.Context, root, program string, p v1.Platform) ([]component, error) {
	packages, err := listPackages(ctx, root, program, p)
	if err != nil {
		return nil, err
	}
	modules := map[goModule][]string{}
	for _, pkg := range packages {
		switch m := pkg.Module; {
		case pkg.Standard:
			// Its folders have no license but that of BoringCrypto, which is compiled in only on request.
		case m == nil:
			return nil, fmt.Errorf("the package %s is of no module", pkg.ImportPath)
		case m.Main:
		case m.Replace != nil:
			modules[*m.Replace] = append(modules[*m.Replace], pkg.Dir)
		default:
			modules[*m] = append(modules[*m], pkg.Dir)
		}
	}
	library, err := standardLibrary(ctx, root, p)
	found, errs := []component{library}, []error{err}
	for m, folders := range modules {
		c, err := readComponent(m, folders)
		found, errs = append(found, c), append(errs, err)
	}
	slices.SortFunc(found, func(a, b component) int { return strings.Compare(a.path, b.path) })
	return found, errors.Join(errs...)
}

// standardLibrary returns the component of Go's standard library.
func standardLibrary(ctx context.Context, root string, p v1.Platform) (component, error) {
	out, err := goCommand(ctx, root, p, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return component{}, err
	}
	version, folder, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "go"), " ")
	return readComponent(goModule{Path: standardLibraryName, Version: version, Dir: folder}, []string{folder})
}

// listPackages returns the packages from which a program is compiled.
func listPackages(ctx context.Context, root, program string, p v1.Platform) ([]goPackageOf, error) {
	out, err := goCommand(ctx, root, p, "list", "-mod=readonly", "-deps", "-json=ImportPath,Dir,Standard,Module",
		"./cmd/"+program)
	if err != nil {
		return nil, err
	}
	var all []goPackageOf
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg goPackageOf
		switch err := d.Decode(&pkg); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, pkg)
	}
}

// goCommand runs the Go command as compile does.
func goCommand(ctx context.Context, root string, p v1.Platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // The arguments are this program's.
	cmd.Dir = root
	cmd.Env = environment(p)
	out, err := cmd.Output()
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		return nil, fmt.Errorf("cannot tell what a program is built from: %w\n%s", err, exit.Stderr)
	}
	return out, err
}

// readComponent reads the licenses of a module.
func readComponent(m goModule, folders []string) (component, error) {
	c := component{path: m.Path, version: m.Version}
	seen := map[string]bool{}
	for _, folder := range folders {
		for within(m.Dir, folder) && !seen[folder] {
			seen[folder] = true
			texts, licenses, err := readFolder(m.Dir, folder)
			if err != nil {
				return c, fmt.Errorf("%s: %w", c, err)
			}
			c.texts, c.licenses = append(c.texts, texts...), append(c.licenses, licenses...)
			folder = filepath.Dir(folder)
		}
	}
	slices.SortFunc(c.texts, func(a, b legalText) int { return strings.Compare(a.name, b.name) })
	slices.Sort(c.licenses)
	c.licenses = slices.Compact(c.licenses)
	if len(c.licenses) == 0 {
		return c,
			fmt.Errorf("%s has no license that this program knows: look at it, and do without it if it has none", c)
	}
	return c, nil
}

func within(root, folder string) bool {
	path, err := filepath.Rel(root, folder)
	return err == nil && filepath.IsLocal(path)
}

// readFolder reads the licenses and notices in one folder of a module.
func readFolder(root, folder string) (texts []legalText, licenses []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range entries {
		license := licenseNames.MatchString(f.Name())
		if f.IsDir() || strings.HasSuffix(f.Name(), ".go") || !license && !noticeNames.MatchString(f.Name()) ||
			docsLicenseNames.MatchString(f.Name()) {
			continue
		}
		content, err := fs.ReadFile(os.DirFS(folder), f.Name())
		if err != nil {
			return nil, nil, err
		}
		name, err := filepath.Rel(root, filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, legalText{name: filepath.ToSlash(name), content: normalText(content)})
		if !license {
			continue
		}
		ids, err := identify(content)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		licenses = append(licenses, ids...)
	}
	return texts, licenses, nil
}

// normalText returns a text with normalized line endings.
func normalText(content []byte) string {
	return strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n")) + "\n"
}

// identify returns the licenses in a text, by their SPDX identifiers. It fails if one is not allowed.
func identify(text []byte) ([]string, error) {
	scanned := licensecheck.Scan(text)
	var ids []string
	for _, m := range scanned.Match {
		if m.IsURL {
			continue
		}
		if !slices.Contains(allowedLicenses, m.ID) {
			return nil, fmt.Errorf("the license %s is not among those that may be in the image: %s", m.ID,
				strings.Join(allowedLicenses, ", "))
		}
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 || scanned.Percent < coverage {
		return nil, fmt.Errorf("only %.0f%% of the text is of licenses that are known (%s), want %d%%", scanned.Percent,
			strings.Join(ids, ", "), coverage)
	}
	return ids, nil
}

// notice returns a list of all components with their licenses, and all texts that must be distributed, each once.
func notice(components []component) []byte {
	var b strings.Builder
	b.WriteString("provider-lambda holds the components below besides its own code, whose license is in LICENSE.\n" +
		"The source of each is the Go module of that name and version, such as from https://proxy.golang.org.\n\n")
	var texts []string
	holders := map[string][]string{}
	for _, c := range components {
		fmt.Fprintf(&b, "%s: %s\n", c, c.expression())
		for _, t := range c.texts {
			if holders[t.content] == nil {
				texts = append(texts, t.content)
			}
			holders[t.content] = append(holders[t.content], fmt.Sprintf("%s: %s", c, t.name))
		}
	}
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(holders[text], "\n"),
			strings.Repeat("-", 80), text)
	}
	return []byte(b.String())
}

// expression returns the component's licenses as an SPDX expression.
func (c component) expression() string { return strings.Join(c.licenses, " AND ") }

// countLicenses returns how many components have each license.
func countLicenses(components []component) string {
	counts := map[string]int{}
	for _, c := range components {
		counts[c.expression()]++
	}
	var all []string
	for expression, n := range counts {
		all = append(all, fmt.Sprintf("%s: %d", expression, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
