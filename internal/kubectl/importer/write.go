package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// Modes of what is written. Files with secrets are only the user's.
const (
	modeDir    fs.FileMode = 0o755
	modeFile   fs.FileMode = 0o644
	modeSecret fs.FileMode = 0o600
)

// header returns the comment at the head of a file, which explains what the file has.
func header(where string) []string {
	return []string{
		"Imported from " + where + ", by kubectl lambda import.",
		"",
		"Each resource has the name of what exists in AWS as its external name, so the provider adopts it when you " +
			"apply the file.",
		"The only change in AWS is that what has tags gets those that say who owns it. If another cluster or " +
			"another object owns",
		"it, the provider changes nothing, and says so in Synced.",
		"",
		"managementPolicies have no Delete: if you delete a resource, what is in AWS stays.",
	}
}

// manifest returns the manifest of an item, with its comments.
func manifest(i *Item) ([]byte, error) {
	var obj runtime.Object = i.Secret
	if i.Resource != nil {
		obj = i.Resource
	}
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	delete(u, "status")
	if m, ok := u["metadata"].(map[string]any); ok {
		delete(m, "creationTimestamp")
	}
	text, err := marshal(u)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	comment(&out, i.Comments...)
	for _, w := range i.Warnings {
		comment(&out, "WARNING: "+w)
	}
	for _, l := range i.Limits {
		comment(&out, "NOT PROVEN: "+l)
	}
	if i.Resource != nil && len(i.Limits) > 0 && len(i.Resource.GetManagementPolicies()) == 1 {
		comment(&out, "It is only observed, so that applying the manifest changes nothing.")
	}
	out.Write(text)
	return out.Bytes(), nil
}

// marshal returns an object as YAML. AWS accepts characters in a text that a parser of YAML rejects unless they are
// escaped, and the conversion parses JSON as YAML.
func marshal(u map[string]any) ([]byte, error) {
	b, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(rejected.ReplaceAllFunc(b, func(c []byte) []byte {
		r, _ := utf8.DecodeRune(c)
		return fmt.Appendf(nil, `\u%04x`, r)
	}))
}

// rejected matches such characters, as far as JSON does not escape them anyway.
var rejected = regexp.MustCompile(`[\x{7f}-\x{9f}\x{fffe}\x{ffff}]`)

// comment writes lines as comments of YAML.
func comment(w *bytes.Buffer, lines ...string) {
	for _, l := range lines {
		w.WriteString(strings.TrimRight("# "+kubectl.OneLine(l), " ") + "\n")
	}
}

// A file is one that is written.
type file struct {
	name   string
	text   []byte
	secret bool
}

// reserved matches names that mean something else as those of files: to kustomize, and to Windows, devices.
var reserved = regexp.MustCompile(`^(kustomization|con|prn|aux|nul|(com|lpt)[0-9])$`)

// files returns the files of a result: one for each function, one for what functions share, and one for the secrets of
// each function.
func files(r *Result, header []string) ([]file, error) {
	var out []file
	at := map[string]int{}
	for _, i := range r.Items {
		name := reserved.ReplaceAllString(i.File, "function-$1")
		if i.Sensitive {
			name += ".secret"
		}
		name += ".yaml"
		n, ok := at[name]
		if !ok {
			n = len(out)
			at[name] = n
			var head bytes.Buffer
			comment(&head, header...)
			out = append(out, file{name: name, text: head.Bytes(), secret: i.Sensitive})
		}
		text, err := manifest(i)
		if err != nil {
			return nil, err
		}
		out[n].text = append(append(out[n].text, "---\n"...), text...)
	}
	return out, nil
}

// checkDir returns an error unless a directory is empty or does not exist.
func checkDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("directory %s is not empty: choose another one, or remove what is in it", dir)
	}
	return nil
}

// writeDir writes the files into a directory, and creates it if there are any.
func writeDir(dir string, all []file) error {
	if len(all) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, modeDir); err != nil {
		return err
	}
	for _, f := range all {
		mode := modeFile
		if f.secret {
			mode = modeSecret
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), f.text, mode); err != nil {
			return err
		}
	}
	return nil
}

// writeStream writes the manifests as one stream. Manifests with secrets are left out unless they are to be shown.
func writeStream(w io.Writer, r *Result, header []string, secrets bool) error {
	var out bytes.Buffer
	comment(&out, header...)
	for _, i := range r.Items {
		out.WriteString("---\n")
		if i.Sensitive && !secrets {
			comment(&out, fmt.Sprintf("%s %s is left out, because it has secrets: set --show-secrets, or write "+
				"files with -o DIRECTORY.", i.Kind, i.Name))
			continue
		}
		text, err := manifest(i)
		if err != nil {
			return err
		}
		out.Write(text)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// summarize writes what was imported, and what was not proven.
func summarize(w io.Writer, r *Result, where string, written int) error {
	var out bytes.Buffer
	unproven := r.Unproven()
	fmt.Fprintf(&out, "Imported %d functions from %s: %d resources, %d Secrets, %d files, by %d calls of AWS.\n",
		r.Functions, where, r.Resources(), len(r.Items)-r.Resources(), written, r.Calls)
	if r.Functions > 0 {
		fmt.Fprintf(&out, "Proven: %d of %d resources. Applying them changes nothing in AWS but tags.\n",
			r.Resources()-len(unproven), r.Resources())
	}
	for _, name := range slices.Sorted(maps.Keys(r.Managed)) {
		fmt.Fprintf(&out, "Skipped: function %s is already managed by %s\n", kubectl.OneLine(name),
			kubectl.OneLine(r.Managed[name]))
	}
	for _, i := range unproven {
		for _, l := range i.Limits {
			fmt.Fprintf(&out, "Not proven: %s %s (%s): %s\n", i.Kind, i.Name, kubectl.OneLine(i.AWSName),
				kubectl.OneLine(l))
		}
	}
	for _, i := range r.Items {
		for _, l := range i.Warnings {
			fmt.Fprintf(&out, "Warning: %s %s (%s): %s\n", i.Kind, i.Name, kubectl.OneLine(i.AWSName),
				kubectl.OneLine(l))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}
