package rollout

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// States of a version in the history.
const (
	stateTarget   = "Target"
	stateStable   = "Stable"
	statePrevious = "Previous"
	stateFailed   = "Failed"
)

// A history is the object that the command history prints as JSON and YAML.
type history struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Versions are the target unless it is stable or was rejected, the stable version, and the earlier and the rejected
	// ones, the latest first.
	Versions []versionState `json:"versions"`
}

// A versionState is a version and its state in the rollout.
type versionState struct {
	FunctionVersion string       `json:"functionVersion"`
	State           string       `json:"state"`
	Weight          *int32       `json:"weight,omitempty"`
	Reason          string       `json:"reason,omitempty"`
	FailedAt        *metav1.Time `json:"failedAt,omitempty"`
	Fingerprint     string       `json:"fingerprint,omitempty"`
	CodeRevision    string       `json:"codeRevision,omitempty"`
}

// DeepCopyObject returns a copy.
func (h *history) DeepCopyObject() runtime.Object {
	out := *h
	h.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Versions = slices.Clone(h.Versions)
	return &out
}

// newHistory returns the command that lists the versions of an alias.
func newHistory(f *kubectl.Factory) *cobra.Command {
	o, out, version := observer{Factory: f}, kubectl.NewOutput(), ""
	cmd := &cobra.Command{
		Use:   "history ALIAS",
		Short: "List the versions that were rolled out",
		Long: `List the versions that were rolled out: the Target until it is stable or rejected, the Stable version,
the Previous ones, to which undo can return, and those that have Failed and were rejected. A previous version
with the reason RollbackTo is one that undo has left. The latest are first.`,
		Example: `  # List the versions
  kubectl lambda rollout history live

  # Show what is known of version 7
  kubectl lambda rollout history live --version 7 -o yaml`,
		ValidArgsFunction: f.CompleteNames(kubectl.Aliases),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := o.open(cmd, args)
			if err != nil {
				return err
			}
			h := historyOf(a)
			if version != "" {
				h.Versions = slices.DeleteFunc(h.Versions,
					func(v versionState) bool { return v.FunctionVersion != version })
				if len(h.Versions) == 0 {
					return fmt.Errorf("unable to find version %s in the history of %s", version,
						kubectl.Aliases.Full(a.Name))
				}
			}
			if out.Format() != "" {
				return out.Print(h, o.Out)
			}
			return h.print(o.Out, o.Now())
		},
	}
	cmd.Flags().StringVar(&version, "version", version, "Only show this version.")
	out.AddFlags(cmd)
	return cmd
}

// historyOf returns the versions of an alias.
func historyOf(a *v1beta1.Alias) *history {
	h := &history{
		TypeMeta:   kubectl.TypeMeta("RolloutHistory"),
		ObjectMeta: metav1.ObjectMeta{Name: a.Name, Namespace: a.Namespace},
		Versions:   []versionState{},
	}
	s := a.Status.Rollout
	if s == nil {
		return h
	}
	add := func(r v1beta1.RolloutRevision, state string) *versionState {
		h.Versions = append(h.Versions, versionState{
			FunctionVersion: r.FunctionVersion, State: state, Fingerprint: r.Fingerprint,
			CodeRevision: r.CodeRevision,
		})
		return &h.Versions[len(h.Versions)-1]
	}
	if s.Target.FunctionVersion != s.Stable.FunctionVersion && rollout.Rejection(s, s.Target.FunctionVersion) == nil {
		v := add(s.Target, stateTarget)
		v.Weight, v.Reason = &s.ObservedWeight, s.Reason
		if rollout.Rejected(s) { // Its code and configuration have failed as another version.
			v.State, v.Weight, v.FailedAt = stateFailed, nil, s.FinishedAt
		}
	}
	add(s.Stable, stateStable)
	listed := func(version string) bool {
		return slices.ContainsFunc(h.Versions, func(v versionState) bool { return v.FunctionVersion == version })
	}
	for _, r := range s.History {
		if listed(r.FunctionVersion) { // It is rolled out again.
			continue
		}
		v := add(r, statePrevious)
		switch f := rollout.Rejection(s, r.FunctionVersion); {
		case f == nil:
		case f.Reason == v1beta1.RolloutReasonRollbackTo: // The user has returned to another one.
			v.Reason = f.Reason
		default:
			v.State, v.Reason, v.FailedAt = stateFailed, f.Reason, f.FailedAt
		}
	}
	for _, f := range s.FailedTargets {
		if !listed(f.FunctionVersion) {
			v := add(f.RolloutRevision, stateFailed)
			v.Reason, v.FailedAt = f.Reason, f.FailedAt
		}
	}
	return h
}

// print prints the versions as a table.
func (h *history) print(w io.Writer, now time.Time) error {
	columns := []string{"VERSION", "STATE", "REASON", "FAILED", "FINGERPRINT", "REVISION"}
	if !slices.ContainsFunc(h.Versions, func(v versionState) bool { return v.CodeRevision != "" }) {
		columns = columns[:5]
	}
	rows := [][]string{columns}
	for _, v := range h.Versions {
		state, since := v.State, ""
		if v.Weight != nil {
			state += fmt.Sprintf(" (%d %%)", *v.Weight)
		}
		if v.FailedAt != nil {
			since = duration.HumanDuration(now.Sub(v.FailedAt.Time)) + " ago"
		}
		cells := []string{v.FunctionVersion, state, v.Reason, since, short(v.Fingerprint), v.CodeRevision}
		rows = append(rows, cells[:len(columns)])
	}
	_, err := fmt.Fprint(w, kubectl.Aliases.Full(h.Name), "\n", kubectl.Table("", rows...))
	return err
}

// short returns the beginning of a hash, which is enough to tell two versions apart.
func short(hash string) string {
	const enough = 12
	return hash[:min(len(hash), enough)]
}
