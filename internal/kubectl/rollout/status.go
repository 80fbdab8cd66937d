package rollout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/client-go/dynamic"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// defaultWidth is the width of what is drawn where the terminal does not know its own.
const defaultWidth = 80

// An observer shows a rollout until it reaches a goal.
type observer struct {
	*kubectl.Factory

	client  dynamic.ResourceInterface
	timeout time.Duration

	// version that is waited for, empty if any is.
	version string
}

// addFlags adds the flags of a command that may watch a rollout.
func (o *observer) addFlags(cmd *cobra.Command, watch *bool, usage string) {
	cmd.Flags().BoolVarP(watch, "watch", "w", *watch, usage)
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "The length of time to wait before ending the watch, zero "+
		"means never. Any other value needs a unit (e.g. 1s, 2m, 3h).")
}

// addVersion adds the flag --to-version. It rejects an empty text, which a pipeline passes if its variable is empty: as
// if there was no flag, the command would be about another version.
func addVersion(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().Func("to-version", usage, func(s string) error {
		if _, err := strconv.ParseUint(s, 10, 64); err != nil {
			return errors.New("it must be the number of a version, such as 8")
		}
		*to = s
		return nil
	})
}

// newStatus returns the command that shows the state of a rollout.
func newStatus(f *kubectl.Factory) *cobra.Command {
	o, watch := observer{Factory: f}, true
	cmd := &cobra.Command{
		Use:   "status ALIAS",
		Short: "Show the status of a rollout, until it ends",
		Long: `Show the status of the rollout of an Alias.

By default, it is watched until it ends: in a terminal as a live view, otherwise as a line for each
change. The exit code is 0 when the target version is stable, and 1 when it was rolled back or the
timeout is over. If another rollout begins in between, that one is watched.`,
		Example: `  # Watch the rollout of the alias live
  kubectl lambda rollout status live

  # Wait in a pipeline until version 8 is stable, at most 45 minutes
  kubectl lambda rollout status live --to-version 8 --timeout 45m

  # Show the present state only
  kubectl lambda rollout status live --watch=false`,
		ValidArgsFunction: f.CompleteNames(kubectl.Aliases),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := o.open(cmd, args)
			if err != nil {
				return err
			}
			if !watch {
				return o.show(a, promoted(o.version))
			}
			return o.watch(cmd.Context(), a, promoted(o.version))
		},
	}
	o.addFlags(cmd, &watch, "Watch the rollout until it ends.")
	addVersion(cmd, &o.version, "Wait until this `version` is stable, also if its rollout has not begun yet.")
	return cmd
}

// open reads the alias that the arguments name.
func (o *observer) open(cmd *cobra.Command, args []string) (*v1beta1.Alias, error) {
	name, err := kubectl.Aliases.Arg(cmd, args)
	if err != nil {
		return nil, err
	}
	if o.client, err = o.Resources(kubectl.Aliases); err != nil {
		return nil, err
	}
	return get(cmd.Context(), o.client, name)
}

// show shows the present state of a rollout. Its error is that of a rollout that has failed.
func (o *observer) show(a *v1beta1.Alias, g goal) error {
	done, err := g(a)
	t := &tracker{version: o.version}
	t.observe(a)
	if o.live() {
		return errors.Join(o.draw(t), err)
	}
	if err != nil {
		return err
	}
	return o.print(t, done)
}

// print prints the state of a rollout as a line.
func (o *observer) print(t *tracker, done bool) error {
	line := t.line()
	if done {
		line = success(t.alias)
	}
	_, err := fmt.Fprintln(o.Out, line)
	return err
}

// success returns what is printed of a rollout that has reached its goal.
func success(a *v1beta1.Alias) string {
	return kubectl.Aliases.Full(a.Name) + ": " + traffic(a).Serves() + suffix(revisions(a))
}

// watch shows a rollout until it reaches a goal.
func (o *observer) watch(ctx context.Context, a *v1beta1.Alias, g goal) error {
	if done, err := g(a); done || err != nil {
		return o.show(a, g)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	updates, err := follow(ctx, o.client, a)
	if err != nil {
		return err
	}
	t := &tracker{version: o.version}
	t.observe(a)
	if o.live() {
		err = o.animate(ctx, t, updates, g)
	} else {
		err = o.lines(ctx, t, updates, g)
	}
	switch {
	case err == nil || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("timed out after %s: %s", o.timeout, t.line())
	}
	return kubectl.ErrInterrupted
}

// lines prints a line for each change of a rollout until it reaches a goal.
func (o *observer) lines(ctx context.Context, t *tracker, updates <-chan update, g goal) error {
	shown := t.line()
	if err := o.print(t, false); err != nil {
		return err
	}
	for u := range updates {
		if u.lost != "" && t.lost == "" {
			_, _ = fmt.Fprintln(o.ErrOut, "connection lost, trying to reconnect: "+u.lost)
		}
		done, err := t.handle(u, g)
		if err != nil {
			return err
		}
		if line := t.line(); done || line != shown {
			shown = line
			if err := o.print(t, done); err != nil {
				return err
			}
		}
		if done {
			return nil
		}
	}
	return ctx.Err()
}

// live reports whether the output is a terminal that can be drawn on.
func (o *observer) live() bool {
	return kubectl.IsTerminal(o.Out) && os.Getenv("TERM") != "dumb"
}

// animate draws a rollout until it reaches a goal, and leaves the last state on the screen.
func (o *observer) animate(ctx context.Context, t *tracker, updates <-chan update, g goal) error {
	m := &model{tracker: t, updates: updates, goal: g, now: o.Now, screen: screen{width: defaultWidth}}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithOutput(kubectl.Device(o.Out)), tea.WithInput(o.In)}
	if !kubectl.IsTerminal(o.In) { // The interrupt is then a signal.
		options[2] = tea.WithInput(nil)
	}
	_, err := tea.NewProgram(m, options...).Run()
	if ctx.Err() != nil && !m.ended {
		err = ctx.Err()
	}
	if m.ended {
		err = m.err
	}
	return errors.Join(o.draw(t), err)
}

// draw draws the present state of a rollout once, in the colors that the terminal has.
func (o *observer) draw(t *tracker) error {
	width := defaultWidth
	if f, ok := kubectl.Device(o.Out).(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	return kubectl.PrintStyled(o.Out, view(t, screen{width: width, now: o.Now()})+"\n")
}
