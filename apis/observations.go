//go:build ignore

// This program removes from CustomResourceDefinitions what restricts the values of status.atProvider. An observation has
// types in common with spec, but AWS decides which values it has. If the API server refused one of them, it would refuse
// the whole status, with its conditions.
//
// Usage: go run observations.go <folder>
package main

import (
	"log"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// restrictions are the fields of a schema that say more than its types.
var restrictions = []string{
	"enum", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum",
	"pattern", "required", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
	"x-kubernetes-validations",
}

func main() {
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		if err := rewrite(file); err != nil {
			log.Fatal(file, ": ", err)
		}
	}
}

func rewrite(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	crd := map[string]any{}
	if err := yaml.Unmarshal(b, &crd); err != nil {
		return err
	}
	for _, version := range crd["spec"].(map[string]any)["versions"].([]any) {
		schema := at(version, "schema", "openAPIV3Schema", "properties", "status", "properties", "atProvider")
		if schema == nil {
			continue
		}
		loosen(schema)
	}
	if b, err = yaml.Marshal(crd); err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("---\n"), b...), 0o644)
}

// at returns the object at a path, or nil if there is none.
func at(object any, path ...string) map[string]any {
	m, _ := object.(map[string]any)
	for _, key := range path {
		m, _ = m[key].(map[string]any)
	}
	return m
}

// loosen removes restrictions from a schema and those in it. Lists are atomic: the provider alone writes them.
func loosen(schema map[string]any) {
	for _, r := range restrictions {
		delete(schema, r)
	}
	if items := at(schema, "items"); items != nil {
		schema["x-kubernetes-list-type"] = "atomic"
		loosen(items)
	}
	if values := at(schema, "additionalProperties"); values != nil {
		loosen(values)
	}
	for _, p := range at(schema, "properties") {
		loosen(p.(map[string]any))
	}
}
