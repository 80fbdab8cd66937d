package rollout

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// States of a version in the history.
const (
	stateTarget   = "Target"
	stateStable   = "Stable"
	statePrevious = "Previous"
	stateFailed   = "Failed"
)

// A history is what the command history prints as JSON and YAML. Its kind is the plugin's own.
type history struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Versions are the target unless it is stable or was rejected, the stable version, and the earlier and the rejected
	// ones, the latest first.
	Versions []versionState `json:"versions"`
}

// A versionState is a version and what the rollout knows of it.
type versionState struct {
	FunctionVersion string       `json:"functionVersion"`
	State           string       `json:"state"`
	Weight          *int32       `json:"weight,omitempty"`
	Reason          string       `json:"reason,omitempty"`
	FailedAt        *metav1.Time `json:"failedAt,omitempty"`
	Fingerprint     string       `json:"fingerprint,omitempty"`
}

// DeepCopyObject returns a copy.
func (h *history) DeepCopyObject() runtime.Object {
	out := *h
	h.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Versions = append([]versionState(nil), h.Versions...)
	return &out
}

// newHistory returns the command that lists the versions of an alias.
func newHistory(f *kubectl.Factory) *cobra.Command {
	o, out, version := observer{Factory: f}, kubectl.NewOutput(), ""
	cmd := &cobra.Command{
		Use:   "history ALIAS",
		Short: "List the versions that were rolled out",
		Long: `List the versions that were rolled out: the Target until it is stable or rejected, the Stable version,
the Previous ones, to which undo can return, and those that have Failed and were rejected. The latest are
first.`,
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
				if h.Versions = h.of(version); len(h.Versions) == 0 {
					return fmt.Errorf("unable to find version %s in the history of %s", version, kubectl.Aliases.Full(a.Name))
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
		TypeMeta:   metav1.TypeMeta{APIVersion: schema.GroupVersion{Group: "kubectl." + v1beta1.SchemeGroupVersion.Group, Version: v1beta1.SchemeGroupVersion.Version}.String(), Kind: "RolloutHistory"},
		ObjectMeta: metav1.ObjectMeta{Name: a.Name, Namespace: a.Namespace},
		Versions:   []versionState{},
	}
	s := a.Status.Rollout
	if s == nil {
		return h
	}
	if s.Target.FunctionVersion != s.Stable.FunctionVersion && !listed(s.FailedTargets, s.Target) {
		h.Versions = append(h.Versions, versionState{FunctionVersion: s.Target.FunctionVersion, State: stateTarget, Weight: &s.ObservedWeight, Reason: s.Reason, Fingerprint: s.Target.Fingerprint})
	}
	h.Versions = append(h.Versions, versionState{FunctionVersion: s.Stable.FunctionVersion, State: stateStable, Fingerprint: s.Stable.Fingerprint})
	for _, r := range s.History {
		h.Versions = append(h.Versions, versionState{FunctionVersion: r.FunctionVersion, State: statePrevious, Fingerprint: r.Fingerprint})
	}
	for _, r := range s.FailedTargets {
		h.Versions = append(h.Versions, versionState{FunctionVersion: r.FunctionVersion, State: stateFailed, Reason: r.Reason, FailedAt: r.FailedAt, Fingerprint: r.Fingerprint})
	}
	return h
}

// listed returns whether a version is one of those that were rejected.
func listed(failed []v1beta1.RolloutFailure, r v1beta1.RolloutRevision) bool {
	return slices.ContainsFunc(failed, func(f v1beta1.RolloutFailure) bool { return f.FunctionVersion == r.FunctionVersion })
}

// of returns the entries of a version.
func (h *history) of(version string) []versionState {
	var out []versionState
	for _, v := range h.Versions {
		if v.FunctionVersion == version {
			out = append(out, v)
		}
	}
	return out
}

// print prints the versions as a table.
func (h *history) print(w io.Writer, now time.Time) error {
	if _, err := fmt.Fprintln(w, kubectl.Aliases.Full(h.Name)); err != nil {
		return err
	}
	table := printers.GetNewTabWriter(w)
	_, _ = fmt.Fprintln(table, "VERSION\tSTATE\tREASON\tFAILED\tFINGERPRINT") // Flush returns the error.
	for _, v := range h.Versions {
		state, since := v.State, ""
		if v.Weight != nil {
			state += fmt.Sprintf(" (%d %%)", *v.Weight)
		}
		if v.FailedAt != nil {
			since = duration.HumanDuration(now.Sub(v.FailedAt.Time)) + " ago"
		}
		row := []string{v.FunctionVersion, state, v.Reason, since, short(v.Fingerprint)}
		for i := range row {
			if row[i] == "" {
				row[i] = "<none>"
			}
		}
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// short returns the beginning of a hash, which is enough to tell two versions apart.
func short(hash string) string {
	const enough = 12
	return hash[:min(len(hash), enough)]
}
