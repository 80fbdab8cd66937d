package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// Values of --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// A command writes an annotation that commands a rollout.
type command struct {
	annotation string

	// value returns the annotation's value for an alias, given a token that was never used.
	value func(a *v1beta1.Alias, token string) (string, error)

	// done is printed after the alias's name.
	done string

	// goal of --watch. It is read after value was called, which may set it.
	goal goal
}

// NewCommand returns the command rollout.
func NewCommand(f *kubectl.Factory) *cobra.Command {
	cmd := kubectl.Group("rollout", "Manage the rollout of an Alias",
		newStatus(f), newHistory(f), newAbort(f), newPromote(f), newRetry(f), newUndo(f))
	cmd.Long = `Manage the rollout of an Alias with spec.rollout.

An ALIAS is the name of an Alias, alone or as alias/NAME or alias.lambda.aws.m.crossplane.io/NAME.`
	return cmd
}

func newAbort(f *kubectl.Factory) *cobra.Command {
	c := command{
		annotation: v1beta1.AnnotationRolloutAbort, done: "rollout aborted", value: justToken,
		goal: ended,
	}
	return c.build(f, &cobra.Command{
		Use:   "abort ALIAS",
		Short: "Return all invocations to the stable version",
		Long: `Return all invocations to the stable version. The target version is rejected: it is not rolled
out again until you retry. After a rollout, it undoes what someone else has changed in the alias.`,
		Example: `  # Abort the rollout of the alias live
  kubectl lambda rollout abort live`,
	})
}

func newPromote(f *kubectl.Factory) *cobra.Command {
	c := &command{
		annotation: v1beta1.AnnotationRolloutPromote, done: "rollout promoted", value: justToken,
		goal: promoted(""),
	}
	full := false
	cmd := &cobra.Command{
		Use:   "promote ALIAS",
		Short: "End the current pause of a rollout, or skip all remaining steps",
		Long: `End the current pause of a rollout. If it waits because someone else has changed the alias, the alias
is changed back, and the rollout continues. With --full, the target version receives all invocations at once,
without the remaining steps, smoke tests, dependencies and analysis; a final bake time still applies.`,
		Example: `  # End the pause that the rollout of the alias live is in
  kubectl lambda rollout promote live

  # Skip all remaining steps
  kubectl lambda rollout promote live --full`,
		PreRun: func(*cobra.Command, []string) {
			if full {
				c.annotation, c.done = v1beta1.AnnotationRolloutPromoteFull, "rollout fully promoted"
			}
		},
	}
	cmd.Flags().BoolVar(&full, "full", full, "Skip all remaining steps, smoke tests, dependencies and analysis.")
	return c.build(f, cmd)
}

func newRetry(f *kubectl.Factory) *cobra.Command {
	c := command{
		annotation: v1beta1.AnnotationRolloutRetry, done: "rollout retried", value: justToken,
		goal: promoted(""),
	}
	return c.build(f, &cobra.Command{
		Use:   "retry ALIAS",
		Short: "Roll a version out again that has failed",
		Example: `  # Roll the version that has failed out again, from the first step, and watch it
  kubectl lambda rollout retry live --watch`,
	})
}

func newUndo(f *kubectl.Factory) *cobra.Command {
	c, to := &command{annotation: v1beta1.AnnotationRolloutRollbackTo}, ""
	c.value = func(a *v1beta1.Alias, token string) (string, error) {
		version := to
		if version == "" {
			var err error
			if version, err = previous(a); err != nil {
				return "", err
			}
		}
		c.done = "rolled back to version " + version
		c.goal = serves(version)
		return version + "/" + token, nil
	}
	cmd := &cobra.Command{
		Use:   "undo ALIAS",
		Short: "Return all invocations to an earlier version",
		Long: `Return all invocations to an earlier version, in one call. Without --to-version, that is the stable
version while a rollout is in progress, and the version before it otherwise. The manifest still asks
for the version that served, which now is rejected: change the manifest, or publish a fix. The
provider first waits until AWS can invoke the version, and does not return to one that is gone.`,
		Example: `  # Return to the version before
  kubectl lambda rollout undo live

  # Return to version 5 of the history
  kubectl lambda rollout undo live --to-version 5`,
	}
	addVersion(cmd, &to, "The `version` to return to, one of those that history shows as Previous.")
	return c.build(f, cmd)
}

func justToken(_ *v1beta1.Alias, token string) (string, error) { return token, nil }

// ended is the goal that a rollout has ended, whether its version was promoted or not.
func ended(a *v1beta1.Alias) (bool, error) {
	s := a.Status.Rollout
	return s != nil && !rollout.InProgress(s), nil
}

// build adds to a command what all of them have.
func (c *command) build(f *kubectl.Factory, cmd *cobra.Command) *cobra.Command {
	o, out, watch, dryRun := &observer{Factory: f}, kubectl.NewOutput(), false, dryRunNone
	cmd.ValidArgsFunction = f.CompleteNames(kubectl.Aliases)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := validate(cmd, dryRun, watch, out.Format()); err != nil {
			return err
		}
		a, err := o.open(cmd, args)
		if err != nil {
			return err
		}
		a, err = c.send(cmd.Context(), o, a, dryRun, out)
		if err != nil || !watch {
			return err
		}
		return o.watch(cmd.Context(), a, after(c.annotation, a.Annotations[c.annotation], c.goal))
	}
	o.addFlags(cmd, &watch, "Watch the rollout afterwards, until it ends.")
	out.AddFlags(cmd)
	cmd.Flags().StringVar(&dryRun, "dry-run", dryRun,
		`Must be "none", "server", or "client". If client, only print what would be sent. `+
			`If server, send it without persisting it.`)
	kubectl.CompleteFlag(cmd, "dry-run", dryRunNone, dryRunServer, dryRunClient)
	return cmd
}

// validate checks the flags of a command.
func validate(cmd *cobra.Command, dryRun string, watch bool, format string) error {
	switch {
	case dryRun != dryRunNone && dryRun != dryRunClient && dryRun != dryRunServer:
		return kubectl.UsageErrorf(cmd, `invalid dry-run value (%v): must be "none", "server", or "client"`, dryRun)
	case watch && dryRun != dryRunNone:
		return kubectl.UsageErrorf(cmd, "--watch has nothing to watch with --dry-run")
	case watch && format != "" && format != "name":
		return kubectl.UsageErrorf(cmd, "--watch cannot be used with --output=%s", format)
	}
	return nil
}

// send writes the annotation, prints the result, and returns the alias with the annotation. The alias is patched only
// in the state in which the command was found to apply: after a conflict, it is read again.
func (c *command) send(
	ctx context.Context, o *observer, a *v1beta1.Alias, dryRun string, out *kubectl.Output,
) (*v1beta1.Alias, error) {
	var result *unstructured.Unstructured
	var waits string
	name := a.Name
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		value, err := c.value(a, o.Now().UTC().Format(time.RFC3339Nano))
		if err != nil {
			return err
		}
		if waits, err = refusal(a, c.annotation, value, o.Now()); err != nil {
			return err
		}
		result, err = c.patch(ctx, o, a, value, dryRun)
		if !kerrors.IsConflict(err) {
			return err
		}
		fresh, readErr := get(ctx, o.client, name)
		if readErr != nil {
			return readErr
		}
		a = fresh
		return err
	})
	if err != nil {
		return nil, err
	}
	if a, err = decode(result); err != nil {
		return nil, err
	}
	if waits != "" {
		_, _ = fmt.Fprintf(o.ErrOut, "Warning: the provider carries the command out once the alias is as before: %s\n",
			waits)
	}
	if why := stopped(a); why != "" {
		_, _ = fmt.Fprintf(o.ErrOut, "Warning: %s: the provider carries the command out later\n", why)
	}
	done := c.done
	switch dryRun {
	case dryRunClient:
		done += " (dry run)"
	case dryRunServer:
		done += " (server dry run)"
	}
	out.Did(done)
	return a, out.Print(result, o.Out)
}

// patch writes the annotation, unless it is a dry run of the client, and returns the alias.
func (c *command) patch(
	ctx context.Context, o *observer, a *v1beta1.Alias, value, dryRun string,
) (*unstructured.Unstructured, error) {
	if dryRun == dryRunClient {
		u, err := o.client.Get(ctx, a.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		xpmeta.AddAnnotations(u, map[string]string{c.annotation: value})
		return u, nil
	}
	options := metav1.PatchOptions{FieldManager: kubectl.FieldManager}
	if dryRun == dryRunServer {
		options.DryRun = []string{metav1.DryRunAll}
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": a.ResourceVersion,
		"annotations":     map[string]string{c.annotation: value},
	}})
	if err != nil {
		return nil, err
	}
	return o.client.Patch(ctx, a.Name, types.MergePatchType, body, options)
}
