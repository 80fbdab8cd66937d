package conformance

import "slices"

// Planned returns the scenarios of a run that makes nothing.
func Planned(r Run, role string, given map[string]string) ([]Scenario, error) {
	if role == "" {
		role = "arn:aws:iam::" + r.Account + ":role" + RolePath + r.Prefix() + "role"
	}
	return Scenarios(valuesOf(r, role, given))
}

// Makes returns the kinds and names of what the scenario makes in AWS.
func (sc *Scenario) Makes() []string {
	var out []string
	for i := range sc.Steps {
		for _, o := range sc.Steps[i].Apply {
			if o.Data == nil {
				out = append(out, o.Kind+" "+o.Name)
			}
		}
		if c := sc.Steps[i].Expect; c != nil && c.Operation == "CreateFunction" {
			if name, ok := c.Input["FunctionName"].(string); ok {
				out = append(out, kindFunction+" "+name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A Price is the cost of a part of a run.
type Price struct {
	Of  string
	USD float64
}

// Costs are the costs of a run at most, at the list prices of most regions, without the free tier.
var Costs = []Price{
	{"Lambda: 400 requests of 128 MB for 100 ms", 0.0002},
	{"Lambda: 2 provisioned environments of 128 MB for 10 minutes", 0.0007},
	{"Lambda: 512 MB of further ephemeral storage, while it is invoked", 0.0001},
	{"CloudWatch: 300 metrics of GetMetricData", 0.0030},
	{"SQS: 200 requests of a poller", 0.0001},
}

// Cost returns the sum of Costs, in USD.
func Cost() float64 {
	sum := 0.0
	for _, c := range Costs {
		sum += c.USD
	}
	return sum
}
