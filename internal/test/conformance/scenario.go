package conformance

import (
	"embed"
	"encoding/base64"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

//go:embed scenarios/*.yaml
var files embed.FS

// A Scenario is a sequence of steps that a user or somebody else takes, with what is expected of them.
type Scenario struct {
	// Name of the scenario, which is that of its file.
	Name string `json:"-"`
	// About is a sentence about what the scenario shows.
	About string `json:"about"`
	// Needs are values that the user must give for it, such as subnet. Without them, the scenario is left out.
	Needs []string `json:"needs,omitempty"`
	Steps []Step   `json:"steps"`
}

// A Step is one of its members.
type Step struct {
	// Apply creates or updates objects of the cluster.
	Apply []Object `json:"apply,omitempty"`
	// Patch merges fields into objects of the cluster.
	Patch *Patch `json:"patch,omitempty"`
	// Ready waits until objects, such as Function/f, are Ready and Synced in their generation.
	Ready []string `json:"ready,omitempty"`
	// Quiet waits for a duration, in which nothing may be changed in AWS.
	Quiet string `json:"quiet,omitempty"`
	// Call changes or reads something in AWS, as somebody else does by hand.
	Call *Call `json:"call,omitempty"`
	// Expect reads from AWS until the answer has the wanted members.
	Expect *Call `json:"expect,omitempty"`
	// Says waits until a condition of an object contains a text.
	Says *Says `json:"says,omitempty"`
	// Event waits until an event of an object has a text.
	Event *Event `json:"event,omitempty"`
	// Rollout waits until the rollout of an alias has a phase and a target.
	Rollout *Rollout `json:"rollout,omitempty"`
	// Traffic invokes an alias from now on, until the end of the scenario.
	Traffic *Traffic `json:"traffic,omitempty"`
	// Delete deletes objects, and waits until they no longer exist.
	Delete []string `json:"delete,omitempty"`
}

// An Object is an object of the cluster: a ConfigMap or a Secret if it has data, or else a managed resource.
type Object struct {
	Kind               string            `json:"kind"`
	Name               string            `json:"name"`
	Annotations        map[string]string `json:"annotations,omitempty"`
	ForProvider        map[string]any    `json:"forProvider,omitempty"`
	Rollout            map[string]any    `json:"rollout,omitempty"`
	ManagementPolicies []any             `json:"managementPolicies,omitempty"`
	Data               map[string]string `json:"data,omitempty"`
}

// A Patch is a merge patch of an object, such as Function/f.
type Patch struct {
	Object string         `json:"object"`
	Merge  map[string]any `json:"merge"`
}

// A Call is a call of Lambda.
type Call struct {
	Operation string         `json:"operation"`
	Input     map[string]any `json:"input"`
	// Want are members that the answer must have.
	Want map[string]any `json:"want,omitempty"`
	// Error is the code of the error that is wanted instead.
	Error string `json:"error,omitempty"`
	// Save names members of the answer, by their paths. Later steps refer to them as %{name}.
	Save map[string]string `json:"save,omitempty"`
}

// Says is a condition of an object with a text in its message.
type Says struct {
	Object    string `json:"object"`
	Condition string `json:"condition"`
	Contains  string `json:"contains"`
}

// An Event is an event of an object with a reason, and a text in its message.
type Event struct {
	Object   string `json:"object"`
	Reason   string `json:"reason"`
	Contains string `json:"contains"`
}

// A Rollout is a rollout of an alias, and what its status says in the end.
type Rollout struct {
	Alias string `json:"alias"`
	Phase string `json:"phase"`
	To    string `json:"to"`
}

// Traffic is invocations of an alias.
type Traffic struct {
	Function string `json:"function"`
	Alias    string `json:"alias"`
}

var placeholder = regexp.MustCompile(`\$\{([a-zA-Z]+)\}`)

// Scenarios returns the scenarios, sorted by name, in which the placeholders ${name} are replaced. A scenario that
// needs a value that is not given has no steps.
func Scenarios(values map[string]string) ([]Scenario, error) {
	entries, err := files.ReadDir("scenarios")
	if err != nil {
		return nil, fmt.Errorf("cannot read the scenarios: %w", err)
	}
	var all []Scenario
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("scenarios", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("cannot read scenario %s: %w", e.Name(), err)
		}
		sc, err := parse(strings.TrimSuffix(e.Name(), ".yaml"), string(text), values)
		if err != nil {
			return nil, err
		}
		all = append(all, sc)
	}
	return all, nil
}

func parse(name, text string, values map[string]string) (Scenario, error) {
	var missing []string
	text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		key := p[2 : len(p)-1]
		if values[key] == "" {
			missing = append(missing, key)
		}
		return values[key]
	})
	sc := Scenario{}
	if err := yaml.UnmarshalStrict([]byte(text), &sc); err != nil {
		return sc, fmt.Errorf("cannot read scenario %s: %w", name, err)
	}
	sc.Name = name
	for _, m := range missing {
		if !slices.Contains(sc.Needs, m) {
			return sc, fmt.Errorf("scenario %s has the placeholder %s, which has no value: add it to its needs", name,
				m)
		}
	}
	if slices.ContainsFunc(sc.Needs, func(need string) bool { return values[need] == "" }) {
		sc.Steps = nil
	}
	return sc, nil
}

// Missing returns what a scenario needs and was not given, empty if it can run.
func (sc *Scenario) Missing() string {
	if len(sc.Steps) > 0 {
		return ""
	}
	return strings.Join(sc.Needs, ", ")
}

func (o *Object) object() *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetKind(o.Kind)
	u.SetName(o.Name)
	u.SetNamespace(namespace)
	u.SetAnnotations(o.Annotations)
	if o.Data != nil {
		u.SetAPIVersion("v1")
		data := map[string]any{}
		for k, v := range o.Data {
			data[k] = v
			if o.Kind == "Secret" {
				data[k] = base64.StdEncoding.EncodeToString([]byte(v))
			}
		}
		u.Object["data"] = data
		return u
	}
	u.SetAPIVersion(v1beta1.SchemeGroupVersion.String())
	spec := map[string]any{
		"forProvider":       o.ForProvider,
		"providerConfigRef": map[string]any{"kind": v1beta1.ClusterProviderConfigKind, "name": configName},
	}
	if o.Rollout != nil {
		spec["rollout"] = o.Rollout
	}
	if o.ManagementPolicies != nil {
		spec["managementPolicies"] = o.ManagementPolicies
	}
	u.Object["spec"] = spec
	return u
}

// The objects of the cluster of a run.
const (
	namespace  = "default"
	configName = "conformance"
)
