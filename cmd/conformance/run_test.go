package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/conformance"
	_ "github.com/crossplane-contrib/provider-lambda/internal/test/devcluster" // The run starts a control plane.
)

// TestRun runs two scenarios on a control plane, with the double of AWS as an emulator, and checks that they are
// recorded, that the recordings are those of the double, and that nothing is left.
func TestRun(t *testing.T) {
	t.Chdir("../..")
	double := awsdouble.New(awsdouble.Lifelike())
	double.Start()
	t.Cleanup(double.Close)
	where := where{
		Account: awsdouble.DefaultAccount, Region: "eu-central-1", Endpoint: double.URL(), Dir: t.TempDir(),
	}
	c := runCommand{where: where, Only: []string{"deletion", "secret"}, Calls: 500, Within: 5 * time.Minute}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	left := append(double.MadeRoles(), double.Queues()...)
	if all := double.Resources(where.Account, where.Region); len(all) > 0 || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, all)
	}
	if states, err := filepath.Glob(filepath.Join(where.Dir, "*", stateFile)); err != nil || len(states) > 0 {
		t.Errorf("the state is left: %v, %v", states, err)
	}
	recordings, err := filepath.Glob(filepath.Join(where.Dir, "*", "recordings", "*.jsonl"))
	if err != nil || len(recordings) != 2 {
		t.Fatalf("recordings: %v, %v", recordings, err)
	}
	if err := (&compareCommand{Recordings: recordings}).Run(); err != nil {
		t.Error(err)
	}
	results, err := filepath.Glob(filepath.Join(where.Dir, "*", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := conformance.Table(results)
	if want := "| Scenario | results |\n| --- | --- |\n| deletion | yes |\n| secret | yes |\n"; table != want ||
		err != nil {
		t.Errorf("the table is\n%s, %v", table, err)
	}
}

// TestAnotherAccount checks that nothing is made with credentials of another account than the confirmed one.
func TestAnotherAccount(t *testing.T) {
	double := awsdouble.New(awsdouble.Options{})
	double.Start()
	t.Cleanup(double.Close)
	c := runCommand{
		where:  where{Account: "210987654321", Region: "eu-central-1", Endpoint: double.URL(), Dir: t.TempDir()},
		Within: time.Minute,
	}
	if err := c.Run(t.Context()); err == nil {
		t.Error("the account is not the confirmed one, and the run succeeds")
	}
	for _, call := range double.Calls() {
		if call.Operation != "GetCallerIdentity" {
			t.Errorf("%s is called in an account that is not the confirmed one", call.Operation)
		}
	}
	if made, err := os.ReadDir(c.Dir); err != nil || len(made) > 0 {
		t.Errorf("a state is left: %v, %v", made, err)
	}
}
