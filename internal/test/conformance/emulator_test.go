package conformance

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// odd makes the double an emulator that lacks operations, in the ways in which emulators do, and answers some others
// differently.
func odd(s *awsdouble.Server) {
	for _, operation := range []string{"GetRuntimeManagementConfig", "PutRuntimeManagementConfig"} {
		s.Fail(awsdouble.Fault{Operation: operation, Times: -1, Error: awsdouble.Error{
			Status: http.StatusNotImplemented, Code: "InternalFailure", Message: "not yet implemented or pro feature",
		}})
	}
	for _, operation := range []string{"GetFunctionUrlConfig", "CreateFunctionUrlConfig"} {
		s.Fail(told(operation, func(int, []byte) (int, []byte) {
			return http.StatusNotFound, []byte("<!doctype html>\n<html lang=en><title>404 Not Found</title>")
		}))
	}
	s.Fail(told("GetFunctionEventInvokeConfig", edit("MaximumRetryAttempts",
		func(in map[string]any, name string) { in[name] = 2 })))
}

// TestEmulator runs scenarios at an emulator that lacks operations, and checks that the table says which, and that the
// other scenarios are not affected.
func TestEmulator(t *testing.T) {
	chosen := []string{"functioneventinvokeconfig", "functionurl", "layerversion", "runtimemanagementconfig", "secret"}
	simulate(t, chosen, func(s *simulation, r *Runner) {
		odd(s.double)
		r.Within, r.Given = time.Minute, nil
	}, func(t *testing.T, s *simulation) {
		path := filepath.Join(t.TempDir(), "odd.json")
		b, err := json.Marshal(Report{Endpoint: theRun.Endpoint, Results: s.results})
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := Table([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Join([]string{
			"| Scenario | odd |", "| --- | --- |",
			"| functioneventinvokeconfig | differs |",
			"| functionurl | lacks CreateFunctionUrlConfig, GetFunctionUrlConfig |",
			"| layerversion | yes |",
			"| runtimemanagementconfig | lacks GetRuntimeManagementConfig |",
			"| secret | yes |", "",
		}, "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		s.clean(t)
		if left := s.left(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}
