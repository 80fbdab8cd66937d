package campaign

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	// client-go waits between two errors by the clock of the whole process, but each
	// simulation has a clock of its own.
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func( //nolint:reassign // It is meant to be set.
		context.Context,
		error,
		string,
		...any) {
	}}
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}
