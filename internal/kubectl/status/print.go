package status

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// text returns the page for people, with the colors of a terminal. Lines are not cut.
func (p *page) text(now time.Time) string {
	b := &strings.Builder{}
	fmt.Fprintln(b, kubectl.Bold.Render(kubectl.Functions.Full(p.Name)))
	p.function(b)
	for _, s := range []section{
		p.conditions(now),
		rows("Problems", p.Problems, "RESOURCE", "MESSAGE"),
		rows("Differences", p.Differences, "RESOURCE", "FIELD", "DESIRED", "OBSERVED"),
		p.versions(),
		rows("Aliases", p.Aliases, "NAME", "READY", "VERSION", "WEIGHTS", "ROLLOUT"),
		rows("Event source mappings", p.EventSourceMappings, "NAME", "READY", "STATE", "LAST RESULT", "SOURCE"),
		rows("URLs", p.URLs, "NAME", "READY", "QUALIFIER", "AUTH", "URL"),
		rows("Permissions", p.Permissions, "NAME", "READY", "QUALIFIER", "PRINCIPAL", "ACTION", "SOURCE"),
		rows("Provisioned concurrency", p.ProvisionedConcurrency,
			"NAME", "READY", "QUALIFIER", "STATUS", "REQUESTED", "ALLOCATED", "AVAILABLE"),
		rows("Asynchronous invocation", p.Invocations,
			"NAME", "READY", "QUALIFIER", "RETRIES", "MAX AGE", "ON FAILURE", "ON SUCCESS"),
		p.events(now),
	} {
		if len(s.rows) > 0 {
			fmt.Fprintf(b, "\n%s\n%s", kubectl.Bold.Render(s.title),
				kubectl.Table("  ", append([][]string{s.columns}, s.rows...)...))
		}
	}
	if len(p.NotShown) > 0 {
		fmt.Fprintf(b, "\n%s\n  %s\n", kubectl.Yellow.Render("Not shown"), strings.Join(p.NotShown, "\n  "))
	}
	return b.String()
}

// function writes the state of the Function itself.
func (p *page) function(b *strings.Builder) {
	f := p.Function
	line := func(name string, parts ...string) {
		if text := join(parts...); text != "" {
			fmt.Fprintf(b, "%-13s %s\n", name+":", text)
		}
	}
	line("Namespace", p.Namespace)
	line("Region", f.Region)
	line("Function", cmp.Or(f.ARN, f.Name))
	paused := ""
	if f.Paused {
		paused = kubectl.Yellow.Render("paused: the provider does not reconcile it")
	}
	line("Phase", phaseStyle(f.Phase).Render(f.Phase), paused)
	line("Message", f.Message)
	line("State", f.State, f.StateReason)
	line("Last update", f.LastUpdate, f.Code.LastModified, f.LastUpdateReason)
	c := f.Code
	line("Code", c.PackageType, size(c.Size), prefix("SHA-256 ", c.SHA256))
	line("Image", c.ImageURI)
	line("Source", c.Source)
	line("Revision", c.Revision)
	line("Signed by", c.Verified)
	s := f.Settings
	line("Runtime", s.Runtime, strings.Join(s.Architectures, ", "), prefix("handler ", s.Handler))
	line("Limits", count(int64(s.MemorySize), "MB of memory"), prefix("timeout ", count(int64(s.Timeout), "s")),
		reserved(s.ReservedConcurrentExecutions))
	line("Role", s.Role)
	line("Environment", strings.Join(s.EnvironmentVariableNames, ", "))
	line("Layers", strings.Join(s.Layers, ", "))
	line("Logs", s.LogGroup, s.LogRetention)
}

// A section is a table with a title. It is left out if it has no rows.
type section struct {
	title   string
	columns []string
	rows    [][]string
}

// rows returns a section with a row for each resource, difference or problem.
func rows[T interface{ row() []string }](title string, all []T, columns ...string) section {
	s := section{title: title, columns: columns}
	for _, r := range all {
		s.rows = append(s.rows, r.row())
	}
	return s
}

func (p *page) conditions(now time.Time) section {
	s := section{title: "Conditions", columns: []string{"TYPE", "STATUS", "REASON", "AGE", "MESSAGE"}}
	for _, c := range p.Conditions {
		since := age(now, c.LastTransitionTime.Time)
		s.rows = append(s.rows, []string{string(c.Type), string(c.Status), string(c.Reason), since, c.Message})
	}
	return s
}

func (p *page) versions() section {
	s := section{title: "Versions", columns: []string{"VERSION", "STATE"}}
	retained := map[string]string{}
	for _, v := range p.Versions.Retained {
		retained[v.Version] = "used by " + v.UsedBy
	}
	code := slices.Clone(p.Versions.Code)
	for _, v := range p.Versions.Resources {
		code = append(code, v.Code...)
	}
	if len(code) > 0 {
		s.columns = append(s.columns, "REVISION", "SIGNED BY")
	}
	row := func(version, state string) {
		if version != "" {
			c, _ := publishedcode.Of(code, version)
			cells := []string{version, join(state, retained[version]), c.Revision, c.Verified}
			s.rows = append(s.rows, cells[:len(s.columns)])
			delete(retained, version)
		}
	}
	row(p.Versions.Publishing, "publishing")
	row(p.Versions.Latest, "latest")
	for _, v := range p.Versions.History {
		if v != p.Versions.Latest && v != p.Versions.Publishing {
			row(v, "earlier")
		}
	}
	for _, v := range p.Versions.Retained {
		if retained[v.Version] != "" {
			row(v.Version, "")
		}
	}
	for _, v := range p.Versions.Resources {
		row(v.Version, join(v.State, "version/"+v.Name))
	}
	return s
}

func (p *page) events(now time.Time) section {
	s := section{title: "Events", columns: []string{"LAST", "TYPE", "REASON", "MESSAGE"}}
	for _, e := range p.Events {
		last := age(now, e.Last.Time)
		if e.Count > 1 {
			last += fmt.Sprintf(" (x%d)", e.Count)
		}
		s.rows = append(s.rows, []string{last, e.Type, e.Reason, e.Message})
	}
	return s
}

func phaseStyle(phase string) lipgloss.Style {
	switch phase {
	case v1beta1.PhaseAvailable:
		return kubectl.Green
	case v1beta1.PhaseError, v1beta1.PhaseRolledBack:
		return kubectl.Red
	}
	return kubectl.Yellow
}

// age returns how long ago a time was. It is empty if there is none.
func age(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return duration.HumanDuration(now.Sub(t))
}

// prefix returns a text with a prefix, or nothing if the text is empty.
func prefix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// count returns a number with its unit, or nothing if it is 0.
func count(n int64, unit string) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

// size returns a number of bytes in a unit that suits it.
func size(n int64) string {
	const unit = 1024
	switch {
	case n == 0:
		return ""
	case n < unit:
		return count(n, "B")
	case n < unit*unit:
		return fmt.Sprintf("%.1f KiB", float64(n)/unit)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/unit/unit)
}

func reserved(n *int32) string {
	if n == nil {
		return ""
	}
	return number(*n) + " reserved concurrent executions"
}
