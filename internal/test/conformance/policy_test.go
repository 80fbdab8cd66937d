package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestPolicySuffices makes a full run with the policy alone, and checks that it allows nothing that a run does not
// need.
func TestPolicySuffices(t *testing.T) {
	var used []string
	simulate(t, nil, func(s *simulation, _ *Runner) {
		var all []awsdouble.Allow
		for _, st := range PolicyOf(theRun.Account, theRun.Region).Statement {
			all = append(all, awsdouble.Allow{Actions: st.Action, Resources: st.Resource})
		}
		s.double.SetPolicy(append(all, awsdouble.Allow{ // Roles that the user gives.
			Actions: []string{"iam:PassRole"}, Resources: []string{given["operatorRole"], given["vpcRole"]},
		}, awsdouble.Allow{ // And the queue of drift events.
			Actions: []string{"sqs:ReceiveMessage", "sqs:DeleteMessage*", "sqs:GetQueueUrl"}, Resources: []string{"*"},
		})...)
	}, func(t *testing.T, s *simulation) {
		t.Helper()
		if s.err != nil {
			t.Fatal(s.err)
		}
		for _, r := range s.results {
			if r.Error != "" {
				t.Errorf("%s: %s", r.Scenario, r.Error)
			}
		}
		s.clean(t, true)
		used = s.double.UsedActions()
	})
	for _, st := range PolicyOf(theRun.Account, theRun.Region).Statement {
		for _, a := range st.Action {
			if strings.HasPrefix(a, "lambda:") && !slices.Contains(used, a) {
				t.Errorf("no run needs %s", a)
			}
		}
	}
}
