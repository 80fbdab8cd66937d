package advice

import (
	"fmt"
	"strings"
	"time"
)

// RuntimesSource is the page on which AWS publishes the dates of runtimes, and RuntimesAsOf the day of the table. It
// was taken from public copies of that page.
const (
	RuntimesSource = "https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html"
	RuntimesAsOf   = "2026-10-01"
)

// MaxRuntimesAge is the maximum age of the table.
const MaxRuntimesAge = 180 * 24 * time.Hour

// noticePeriod is the time before its deprecation at which a runtime is near it. AWS notifies accounts as early.
const noticePeriod = 180 * 24 * time.Hour

// A Runtime has the dates of a runtime, in the form 2006-01-02. A date that AWS has not published is empty.
type Runtime struct {
	// Name is the identifier of the runtime.
	Name string

	// Deprecated is the time when AWS stops to patch it, CreateBlocked when it rejects new functions, and UpdateBlocked
	// when it rejects updates of functions.
	Deprecated, CreateBlocked, UpdateBlocked string

	// Preview reports whether AWS does not support it for production yet.
	Preview bool
}

// Runtimes are all runtimes, the newest of each family first. AWS publishes no block dates for java8.al2023,
// java11.al2023 and java17.al2023 that could be confirmed.
var Runtimes = []Runtime{
	{Name: "nodejs26.x", Preview: true},
	{Name: "nodejs24.x", Deprecated: "2028-04-30", CreateBlocked: "2028-06-01", UpdateBlocked: "2028-07-01"},
	{Name: "nodejs22.x", Deprecated: "2027-04-30", CreateBlocked: "2027-06-01", UpdateBlocked: "2027-07-01"},
	{Name: "nodejs20.x", Deprecated: "2026-04-30", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "nodejs18.x", Deprecated: "2025-09-01", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "nodejs16.x", Deprecated: "2024-06-12", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "nodejs14.x", Deprecated: "2023-12-04", CreateBlocked: "2024-01-09", UpdateBlocked: "2027-08-31"},
	{Name: "nodejs12.x", Deprecated: "2023-03-31", CreateBlocked: "2023-03-31", UpdateBlocked: "2023-04-30"},
	{Name: "nodejs10.x", Deprecated: "2021-07-30", CreateBlocked: "2021-07-30", UpdateBlocked: "2022-02-14"},
	{Name: "nodejs8.10", Deprecated: "2020-03-06", CreateBlocked: "2020-02-04", UpdateBlocked: "2020-03-06"},
	{Name: "nodejs6.10", Deprecated: "2019-08-12", CreateBlocked: "2019-07-12", UpdateBlocked: "2019-08-12"},
	{Name: "nodejs4.3", Deprecated: "2020-03-05", CreateBlocked: "2020-02-03", UpdateBlocked: "2020-03-05"},
	{Name: "nodejs4.3-edge", Deprecated: "2020-03-05", CreateBlocked: "2019-03-31", UpdateBlocked: "2019-04-30"},
	{Name: "nodejs", Deprecated: "2016-08-30", CreateBlocked: "2016-09-30", UpdateBlocked: "2016-10-31"},

	{Name: "python3.15", Preview: true},
	{Name: "python3.14", Deprecated: "2029-06-30", CreateBlocked: "2029-07-31", UpdateBlocked: "2029-08-31"},
	{Name: "python3.13", Deprecated: "2029-06-30", CreateBlocked: "2029-07-31", UpdateBlocked: "2029-08-31"},
	{Name: "python3.12", Deprecated: "2028-10-31", CreateBlocked: "2028-11-30", UpdateBlocked: "2029-01-10"},
	{Name: "python3.11", Deprecated: "2027-06-30", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "python3.10", Deprecated: "2026-10-31", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "python3.9", Deprecated: "2025-12-15", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "python3.8", Deprecated: "2024-10-14", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "python3.7", Deprecated: "2023-12-04", CreateBlocked: "2024-01-09", UpdateBlocked: "2027-08-31"},
	{Name: "python3.6", Deprecated: "2022-07-18", CreateBlocked: "2022-07-18", UpdateBlocked: "2022-08-29"},
	{Name: "python2.7", Deprecated: "2021-07-15", CreateBlocked: "2021-07-15", UpdateBlocked: "2022-05-30"},

	{Name: "java25", Deprecated: "2029-06-30", CreateBlocked: "2029-07-31", UpdateBlocked: "2029-08-31"},
	{Name: "java21", Deprecated: "2029-06-30", CreateBlocked: "2029-07-31", UpdateBlocked: "2029-08-31"},
	{Name: "java17.al2023", Deprecated: "2029-06-30"},
	{Name: "java11.al2023", Deprecated: "2029-06-30"},
	{Name: "java8.al2023", Deprecated: "2029-06-30"},
	{Name: "java17", Deprecated: "2027-06-30", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "java11", Deprecated: "2027-06-30", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "java8.al2", Deprecated: "2027-06-30", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "java8", Deprecated: "2024-01-08", CreateBlocked: "2024-02-08", UpdateBlocked: "2027-08-31"},

	{Name: "dotnet10", Deprecated: "2028-11-14", CreateBlocked: "2028-12-14", UpdateBlocked: "2029-01-15"},
	{Name: "dotnet8", Deprecated: "2026-11-10", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "dotnet6", Deprecated: "2024-12-20", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "dotnetcore3.1", Deprecated: "2023-04-03", CreateBlocked: "2023-04-03", UpdateBlocked: "2023-05-03"},
	{Name: "dotnetcore2.1", Deprecated: "2022-01-05", CreateBlocked: "2022-01-05", UpdateBlocked: "2022-04-13"},
	{Name: "dotnetcore2.0", Deprecated: "2019-05-30", CreateBlocked: "2019-04-30", UpdateBlocked: "2019-05-30"},
	{Name: "dotnetcore1.0", Deprecated: "2019-06-27", CreateBlocked: "2019-06-30", UpdateBlocked: "2019-07-30"},

	{Name: "ruby4.0", Deprecated: "2029-03-31", CreateBlocked: "2029-04-30", UpdateBlocked: "2029-05-31"},
	{Name: "ruby3.4", Deprecated: "2028-03-31", CreateBlocked: "2028-04-30", UpdateBlocked: "2028-05-31"},
	{Name: "ruby3.3", Deprecated: "2027-03-31", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "ruby3.2", Deprecated: "2026-03-31", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "ruby2.7", Deprecated: "2023-12-07", CreateBlocked: "2024-01-09", UpdateBlocked: "2027-08-31"},
	{Name: "ruby2.5", Deprecated: "2021-07-30", CreateBlocked: "2021-07-30", UpdateBlocked: "2022-03-31"},

	{Name: "provided.al2023", Deprecated: "2029-06-30", CreateBlocked: "2029-07-31", UpdateBlocked: "2029-08-31"},
	{Name: "provided.al2", Deprecated: "2026-07-31", CreateBlocked: "2027-07-29", UpdateBlocked: "2027-08-31"},
	{Name: "provided", Deprecated: "2024-01-08", CreateBlocked: "2024-02-08", UpdateBlocked: "2027-08-31"},
	{Name: "go1.x", Deprecated: "2024-01-08", CreateBlocked: "2024-02-08", UpdateBlocked: "2027-08-31"},
}

// family returns the family of a runtime. Functions in Go move to an OS-only runtime.
func family(name string) string {
	for _, f := range []string{"nodejs", "python", "java", "dotnet", "ruby"} {
		if strings.HasPrefix(name, f) {
			return f
		}
	}
	return "provided"
}

// successor returns the newest runtime of a family that AWS supports.
func successor(name string, now time.Time) string {
	for _, r := range Runtimes {
		if family(r.Name) == family(name) && !r.Preview && !reached(r.Deprecated, now) {
			return r.Name
		}
	}
	return ""
}

// ofRuntime returns the finding about a runtime. It finds nothing about a runtime that is not in the table.
func ofRuntime(name string, now time.Time) []Finding {
	for _, r := range Runtimes {
		if r.Name == name {
			return r.findings(now)
		}
	}
	return nil
}

func (r Runtime) findings(now time.Time) []Finding {
	code, text := r.code(now)
	if code == "" {
		return nil
	}
	action := "set spec.forProvider.runtime to a runtime that AWS supports"
	if s := successor(r.Name, now); s != "" {
		action = "set spec.forProvider.runtime to a runtime that AWS supports, such as " + s
	}
	return []Finding{newFinding(code, "spec.forProvider.runtime", text, action)}
}

// code returns the code and the message of the finding about the runtime at a time. The message has dates only, so that
// it does not change every day.
func (r Runtime) code(now time.Time) (Code, string) {
	switch {
	case reached(r.UpdateBlocked, now):
		return RuntimeUpdateBlocked, fmt.Sprintf("AWS rejects updates of functions with runtime %s since %s", r.Name,
			r.UpdateBlocked)
	case reached(r.CreateBlocked, now):
		return RuntimeCreateBlocked, fmt.Sprintf("AWS rejects new functions with runtime %s since %s%s", r.Name,
			r.CreateBlocked, from(", and updates from %s", r.UpdateBlocked))
	case reached(r.Deprecated, now):
		return RuntimeDeprecated, fmt.Sprintf("AWS deprecated runtime %s on %s%s", r.Name, r.Deprecated, r.blocked())
	case reached(r.Deprecated, now.Add(noticePeriod)):
		return RuntimeNearDeprecation, fmt.Sprintf("AWS deprecates runtime %s on %s%s", r.Name, r.Deprecated,
			r.blocked())
	}
	return "", ""
}

// blocked returns the dates from which AWS blocks the runtime, as the end of a sentence.
func (r Runtime) blocked() string {
	return from(", and rejects new functions from %s", r.CreateBlocked) + from(" and updates from %s", r.UpdateBlocked)
}

// from returns a text with a date, or nothing if the date is not known.
func from(format, date string) string {
	if date == "" {
		return ""
	}
	return fmt.Sprintf(format, date)
}

// reached reports whether a date has come. It has not if it is not known.
func reached(date string, now time.Time) bool {
	t, err := time.Parse(time.DateOnly, date)
	return err == nil && !now.Before(t)
}
