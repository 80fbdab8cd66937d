package conformance

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
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
	for operation, page := range map[string]string{
		"GetFunctionUrlConfig":    `<?xml version="1.0"?><Error><Code>NoSuchBucket</Code></Error>`,
		"CreateFunctionUrlConfig": "<!doctype html>\n<html lang=en><title>404 Not Found</title>",
	} {
		s.Fail(told(operation, func(int, []byte) (int, []byte) { return http.StatusNotFound, []byte(page) }))
	}
	s.Fail(told("GetFunctionEventInvokeConfig", edit("MaximumRetryAttempts",
		func(in map[string]any, name string) { in[name] = 2 })))
}

// results are the reports of runs, one for each emulator.
const results = "testdata/results"

// TestResultsOfTheDouble compares the results of a run at the double with those in testdata. With -update, it writes
// them.
func TestResultsOfTheDouble(t *testing.T) {
	var all []Result
	for _, r := range fullRun(t).results {
		r.Calls, r.Seconds = 0, 0 // They vary.
		all = append(all, r)
	}
	want, err := json.MarshalIndent(Report{Endpoint: "the double of this project", Results: all}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compareFile(t, filepath.Join(results, "double.json"), string(want)+"\n")
}

// TestTableOfEmulators compares the table of docs/emulators.md with the results in testdata. With -update, it writes
// it.
func TestTableOfEmulators(t *testing.T) {
	const page = "../../../docs/emulators.md"
	files, err := filepath.Glob(filepath.Join(results, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no results: %v", err)
	}
	table, err := Table(files)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "<!-- results -->\n")
	_, after, also := strings.Cut(rest, "<!-- /results -->\n")
	if !ok || !also {
		t.Fatal("the page has no place for the table")
	}
	compareFile(t, page, before+"<!-- results -->\n"+table+"<!-- /results -->\n"+after)
}

// compareFile compares a file with what it should have, or writes it with -update.
func compareFile(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date, run go test with -update: -want, +got:\n%s", path, diff)
	}
}

// TestEmulator runs scenarios at an emulator that lacks operations, and checks that the table says which, and that the
// other scenarios are not affected.
func TestEmulator(t *testing.T) {
	chosen := []string{"functioneventinvokeconfig", "functionurl", "layerversion", "runtimemanagementconfig", "secret"}
	simulate(t, chosen, func(s *simulation, r *Runner) {
		odd(s.double)
		r.Within, r.Given = time.Minute, nil
	}, func(t *testing.T, s *simulation) {
		t.Helper()
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
			"| functionurl | lacks GetFunctionUrlConfig |",
			"| layerversion | yes |",
			"| runtimemanagementconfig | lacks GetRuntimeManagementConfig |",
			"| secret | yes |", "",
		}, "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		s.clean(t, true)
		if left := s.left(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// TestCleanWhereDeletionsAlwaysSucceed checks that Clean ends, and reports each deletion once, at an emulator that
// accepts the deletion of what does not exist.
func TestCleanWhereDeletionsAlwaysSucceed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, theRun)
		for _, operation := range []string{"DeleteFunction", "DeleteCodeSigningConfig", "DeleteEventSourceMapping"} {
			s.double.Fail(told(operation, func(int, []byte) (int, []byte) { return http.StatusOK, []byte("{}") }))
		}
		if err := s.gate.State.Add(Made{kindFunction, theRun.Prefix() + "f"}); err != nil {
			t.Fatal(err)
		}
		got, err := Clean(t.Context(), s.config(), s.gate.State)
		if diff := cmp.Diff([]string{"Function " + theRun.Prefix() + "f"}, got); diff != "" || err != nil {
			t.Errorf("removed, -want, +got:\n%s%v", diff, err)
		}
	})
}

// TestCleanWithoutTags checks that Clean does not claim that nothing is left of a run if it cannot read the tags that
// say what is of it.
func TestCleanWithoutTags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, theRun)
		if _, err := callLambda(t.Context(), lambda.NewFromConfig(s.config()), "CreateFunction", map[string]any{
			"FunctionName": theRun.Prefix() + "f",
			"Role":         "arn:aws:iam::123456789012:role/r",
			"Handler":      "index.handler",
			"Runtime":      "python3.13",
			"Tags":         map[string]any{TagKey: theRun.ID},
			"Code":         map[string]any{"ZipFile": awsdouble.Zip(nil)},
		}); err != nil {
			t.Fatal(err)
		}
		s.double.Fail(
			awsdouble.Fault{Operation: "ListTags", Times: -1, Error: awsdouble.AccessDenied("lambda:ListTags")},
		)
		s.gate = &Gate{Next: doubled{s.double}, State: &State{Run: theRun}} // Another process has no file.
		if deleted, err := Clean(t.Context(), s.config(), s.gate.State); err == nil || len(deleted) > 0 {
			t.Errorf("removed %v, %v, although nobody can say whose the function is", deleted, err)
		}
	})
}

// TestLeftoversWithoutCapacityProviders checks that a region or an emulator without capacity providers has none of them
// left, and that another error of their list says nothing about that.
func TestLeftoversWithoutCapacityProviders(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    awsdouble.Error
		fails  bool
	}{
		"Emulator": {
			reason: "It lacks the operation.",
			err:    awsdouble.Error{Status: http.StatusNotImplemented, Code: "InternalFailure", Message: "no"},
		},
		"NotFound": {
			reason: "It lacks the path.",
			err:    awsdouble.Error{Status: http.StatusNotFound, Code: "ResourceNotFoundException", Message: "no"},
		},
		"Region": {
			reason: "Lambda does not know the operation.",
			err: awsdouble.Error{
				Status:  http.StatusForbidden,
				Code:    "AccessDeniedException",
				Message: "Unable to determine service/operation name to be authorized",
			},
		},
		"Denied": {
			reason: "They may exist.",
			err:    awsdouble.AccessDenied("lambda:ListCapacityProviders"),
			fails:  true,
		},
		"Throttled": {
			reason: "They may exist.",
			err: awsdouble.Error{
				Status:  http.StatusTooManyRequests,
				Code:    "TooManyRequestsException",
				Message: "Rate exceeded",
			},
			fails: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(t, theRun)
				s.double.Fail(awsdouble.Fault{Operation: "ListCapacityProviders", Times: -1, Error: tc.err})
				if _, err := Leftovers(t.Context(), s.config()); (err != nil) != tc.fails {
					t.Errorf("%s: got %v, want an error: %t", tc.reason, err, tc.fails)
				}
			})
		})
	}
}
