package diff_test

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

type logging struct {
	Format *string `json:"format"`
	Level  *string `json:"level"`
}

type function struct {
	MemorySize *int     `json:"memorySize"`
	Timeout    *int     `json:"timeout"`
	Layers     []string `json:"layers"`
	Logging    *logging `json:"logging"`
}

// ExampleFill has a timeout that only initProvider sets, so that it is left alone after creation.
// AWS chooses memorySize and logging.level, which are not set. Layers that are not set must not be
// there.
func ExampleFill() {
	forProvider := function{Logging: &logging{Format: ptr.To("JSON")}}
	initProvider := function{Timeout: ptr.To(3)}
	observed := function{
		MemorySize: ptr.To(128), Timeout: ptr.To(60), Layers: []string{"tracing"},
		Logging: &logging{Format: ptr.To("Text"), Level: ptr.To("INFO")},
	}

	desired, left := diff.Merge(forProvider, initProvider)
	desired = diff.Fill(desired, observed, left)

	fmt.Printf("memorySize %d, timeout %d, level %s\n", *desired.MemorySize, *desired.Timeout, *desired.Logging.Level)
	for _, c := range diff.Compare(desired, observed) {
		fmt.Println(c)
	}
	// Output:
	// memorySize 128, timeout 60, level INFO
	// layers: removed
	// logging.format: "Text" -> "JSON"
}
