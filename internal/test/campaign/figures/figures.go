// Package figures records the figures and findings of campaigns.
package figures

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

// Default is the default sample.
const Default = 17

var (
	// Sample is one of how many points of a campaign is tried: 1 tries all.
	Sample = flag.Int("campaign.sample", Default, "take one of so many points of a campaign; 1 takes all")

	// Walks is the number of random walks that are tried.
	Walks = flag.Int("campaign.walks", 4, "how many random walks to take")

	// HostileWalks is the number of random walks of a hostile tenant that are tried.
	HostileWalks = flag.Int("campaign.hostile", 4, "how many random walks of a hostile tenant to take")

	// HostileSteps is the number of steps of such a walk.
	HostileSteps = flag.Int("campaign.hostile-steps", 40,
		"how many steps a random walk of a hostile tenant has, with four attacks each")

	// First is the seed of the first hostile walk. Those of the others follow it.
	First = flag.Uint64("campaign.first", 1, "the seed of the first random walk of a hostile tenant")

	// Week is the number of resources in a simulated week. 0 has a few for a day.
	Week = flag.Int("campaign.week", 0, "how many resources live for a simulated week; 0 has a few live for a day")

	report = flag.String("campaign.report", "", "append the figures of each campaign to this file, a line of JSON each")
)

// Figures are the figures of one campaign.
type Figures struct {
	// Campaign is its name in docs/reliability.md.
	Campaign string `json:"campaign"`

	// Figures by what they count.
	Figures map[string]int `json:"figures"`

	// Findings is the number of points that failed.
	Findings int `json:"findings"`
}

// Record writes the figures of a campaign to the log of its test, and to the file of the flag -campaign.report.
func Record(t testing.TB, f Figures) {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", b)
	if *report == "" {
		return
	}
	file, err := os.OpenFile(*report, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Write(append(b, '\n')); err != nil {
		t.Fatal(err)
	}
}
