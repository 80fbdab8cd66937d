package advice

import (
	"flag"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// date is the day at which the table of runtimes must be recent. By default, it is that of the commit, so that a commit
// that passes its tests passes them later too. `make check-runtimes` passes today.
var date = flag.String("advice.date", "", "the day, such as 2027-01-31, at which the table of runtimes must be recent")

func TestRuntimesAreRecent(t *testing.T) {
	day := *date
	if day == "" {
		out, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%cs").Output()
		if err != nil {
			t.Log("there is no commit, so the age of the table is not checked")
			return
		}
		day = strings.TrimSpace(string(out))
	}
	if err := checkAge(day); err != "" {
		t.Error(err)
	}
}

// checkAge returns what is wrong with the age of the table on a day.
func checkAge(day string) string {
	now, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return err.Error()
	}
	asOf, err := time.Parse(time.DateOnly, RuntimesAsOf)
	if err != nil {
		return err.Error()
	}
	if age := now.Sub(asOf); age > MaxRuntimesAge {
		return "the table of runtimes is " + age.String() + " old: compare it with " + RuntimesSource + ", and set RuntimesAsOf"
	}
	return ""
}

func TestCheckAge(t *testing.T) {
	asOf, err := time.Parse(time.DateOnly, RuntimesAsOf)
	if err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]bool{0: true, 180: true, 181: false} {
		if got := checkAge(asOf.AddDate(0, 0, days).Format(time.DateOnly)) == ""; got != want {
			t.Errorf("a table of %d days is recent: want %t, got %t", days, want, got)
		}
	}
}

// TestEveryRuntimeIsInTheTable compares the table with the runtimes that the SDK knows, but for custom, whose dates its
// publisher decides. The API accepts more: AWS decides.
func TestEveryRuntimeIsInTheTable(t *testing.T) {
	known := []string{string(types.RuntimeCustom)}
	for _, r := range Runtimes {
		known = append(known, r.Name)
	}
	for _, r := range types.Runtime("").Values() {
		if !slices.Contains(known, string(r)) {
			t.Errorf("the table of runtimes lacks %s: see %s", r, RuntimesSource)
		}
	}
	if len(known) != len(types.Runtime("").Values()) {
		t.Errorf("the table has %d runtimes, and the SDK %d", len(known), len(types.Runtime("").Values()))
	}
}

func TestDatesOfRuntimes(t *testing.T) {
	names := map[string]bool{}
	for _, r := range Runtimes {
		if names[r.Name] {
			t.Errorf("%s is in the table twice", r.Name)
		}
		names[r.Name] = true
		for _, d := range []string{r.Deprecated, r.CreateBlocked, r.UpdateBlocked} {
			if _, err := time.Parse(time.DateOnly, d); d != "" && err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
		if (r.Deprecated == "") != r.Preview {
			t.Errorf("%s needs a date of deprecation, unless it is a preview", r.Name)
		}
		if r.CreateBlocked > r.UpdateBlocked {
			t.Errorf("AWS blocks updates of %s before new functions", r.Name)
		}
	}
}

func TestSuccessor(t *testing.T) {
	for name, want := range map[string]string{
		"python2.7": "python3.14", "nodejs4.3-edge": "nodejs24.x", "java8.al2": "java25", "dotnetcore3.1": "dotnet10", "ruby2.5": "ruby4.0", "go1.x": "provided.al2023", "provided": "provided.al2023",
	} {
		if got := successor(name, at); got != want {
			t.Errorf("%s: want %s, got %s", name, want, got)
		}
	}
	if got := successor("ruby4.0", at.AddDate(10, 0, 0)); got != "" {
		t.Errorf("an outdated table names no runtime, got %s", got)
	}
}
