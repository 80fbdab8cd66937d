// Package figures records what campaigns have tried and found.
package figures

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

// Default is the sample that is taken where no flag says otherwise.
const Default = 17

var (
	// Sample is how many points of a campaign there are to each one that is taken: 1 takes all.
	Sample = flag.Int("campaign.sample", Default, "take one of so many points of a campaign; 1 takes all")

	// Walks is how many random walks are taken.
	Walks = flag.Int("campaign.walks", 4, "how many random walks to take")

	// Week is how many resources live for a simulated week. 0 has a few live for a day.
	Week = flag.Int("campaign.week", 0, "how many resources live for a simulated week; 0 has a few live for a day")

	report = flag.String("campaign.report", "", "append the figures of each campaign to this file, a line of JSON each")
)

// Figures of one campaign.
type Figures struct {
	// Campaign is what was tried, as docs/reliability.md names it.
	Campaign string `json:"campaign"`

	// Figures by what they count.
	Figures map[string]int `json:"figures"`

	// Findings is how many points failed.
	Findings int `json:"findings"`
}

// Record the figures of a campaign in the log of its test, and in the file of the flag
// -campaign.report.
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
