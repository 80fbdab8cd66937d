package kubectl

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestInterrupt checks that the user can end any command, that the exit code says so, and that nothing is printed.
func TestInterrupt(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(ctx context.Context, released <-chan struct{}) error
		want   int
	}{
		"Connection": {
			reason: "The error of the request that was ended is no problem of the connection.",
			run: func(ctx context.Context, _ <-chan struct{}) error {
				<-ctx.Done()
				return &url.Error{Op: "Get", URL: "https://kubernetes", Err: ctx.Err()}
			},
			want: ExitInterrupted,
		},
		"Deaf": {
			reason: "Discovery does not end with the context.",
			run: func(_ context.Context, released <-chan struct{}) error {
				<-released
				return nil
			},
			want: ExitInterrupted,
		},
		"Complete": {
			reason: "A command that has done its work meanwhile has succeeded.",
			run:    func(ctx context.Context, _ <-chan struct{}) error { <-ctx.Done(); return nil },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				released := make(chan struct{})
				defer close(released)
				time.AfterFunc(time.Second, func() { cancel(errors.New("interrupt signal received")) })
				var out, errOut bytes.Buffer
				f := NewFactory(
					genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut},
					time.Now,
					"v1.2.3",
				)
				root := NewCommand(f, &cobra.Command{
					Use:  "show",
					RunE: func(cmd *cobra.Command, _ []string) error { return tc.run(cmd.Context(), released) },
				})
				root.SetArgs([]string{"show"})
				if got := Run(ctx, f, root); got != tc.want || out.Len()+errOut.Len() > 0 {
					t.Errorf(
						"%s\nexit code %d, want %d, and printed %q",
						tc.reason,
						got,
						tc.want,
						out.String()+errOut.String(),
					)
				}
			})
		})
	}
}
