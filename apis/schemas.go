//go:build ignore

// This program changes the schemas of CustomResourceDefinitions in two ways.
//
// It removes what restricts the values of status.atProvider. An observation has types in common with spec, but AWS
// decides which values it has. If the API server refused one of them, it would refuse the whole status, with its
// conditions.
//
// It adds what makes the API server refuse numbers and times that cannot be decoded into the Go types. The API server
// accepts any number for the format int32, and times that Go does not read. A single object with such a value, in any
// namespace, would end each list and watch of its kind.
//
// Usage: go run schemas.go <folder>
package main

import (
	"log"
	"math"
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

// goTime is the pattern of the times that Go reads as RFC 3339, in addition to the format date-time.
const goTime = `^[^Tt]+T[^Zz+-]{8}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`

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
		schema := at(version, "schema", "openAPIV3Schema")
		if observation := at(schema, "properties", "status", "properties", "atProvider"); observation != nil {
			walk(observation, loosen)
		}
		walk(schema, decodable)
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

// walk calls a function with a schema and with those in it.
func walk(schema map[string]any, do func(map[string]any)) {
	do(schema)
	for _, key := range []string{"items", "additionalProperties"} {
		if inner := at(schema, key); inner != nil {
			walk(inner, do)
		}
	}
	for _, p := range at(schema, "properties") {
		walk(p.(map[string]any), do)
	}
}

// loosen removes restrictions from a schema. Lists are atomic: the provider alone writes them.
func loosen(schema map[string]any) {
	for _, r := range restrictions {
		delete(schema, r)
	}
	if at(schema, "items") != nil {
		schema["x-kubernetes-list-type"] = "atomic"
	}
}

// decodable restricts a schema to values that Go can decode.
func decodable(schema map[string]any) {
	switch schema["format"] {
	case "date-time":
		schema["pattern"] = goTime
	case "int32":
		if schema["minimum"] == nil {
			schema["minimum"] = math.MinInt32
		}
		if schema["maximum"] == nil {
			schema["maximum"] = math.MaxInt32
		}
	}
}
