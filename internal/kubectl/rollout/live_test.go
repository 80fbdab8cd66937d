package rollout

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// shown returns a model of an alias on a terminal of 80 x 24 cells.
func shown(a *v1beta1.Alias) *model {
	t := &tracker{}
	t.observe(a)
	return &model{
		tracker: t,
		updates: make(chan update),
		goal:    promoted(""),
		now:     func() time.Time { return at },
		screen:  screen{width: 80, height: 24},
	}
}

// ends reports whether a command ends the program.
func ends(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, quits := cmd().(tea.QuitMsg)
	return quits
}

func TestModelEnds(t *testing.T) {
	gone := errors.New("gone")
	cases := map[string]struct {
		reason string
		args   tea.Msg
		ends   bool
		err    error
	}{
		"Promoted": {reason: "The version is stable.", args: update{alias: canary(ready)}, ends: true},
		"Error":    {reason: "The watch has ended.", args: update{err: gone}, ends: true, err: gone},
		"Quit": {
			reason: "The user has seen enough.",
			args:   tea.KeyPressMsg{Code: 'q', Text: "q"},
			ends:   true,
			err:    kubectl.ErrInterrupted,
		},
		"Interrupt": {
			reason: "In raw mode, the interrupt is a key.",
			args:   tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl},
			ends:   true,
			err:    kubectl.ErrInterrupted,
		},
		"Signal": {
			reason: "Otherwise it is a signal.",
			args:   tea.InterruptMsg{},
			ends:   true,
			err:    kubectl.ErrInterrupted,
		},
		"OtherKey": {reason: "Other keys do nothing.", args: tea.KeyPressMsg{Code: 'x', Text: "x"}},
		"Size":     {reason: "A terminal may change its size.", args: tea.WindowSizeMsg{Width: 40, Height: 10}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := shown(canary())
			_, cmd := m.Update(tc.args)
			if got := ends(cmd); got != tc.ends || m.ended != tc.ends || !errors.Is(m.err, tc.err) {
				t.Errorf("%s: ends %t, error %v, want %t, %v", tc.reason, got, m.err, tc.ends, tc.err)
			}
		})
	}
}

// TestModelContinues checks that an update and a tick are followed by the next.
func TestModelContinues(t *testing.T) {
	m := shown(canary())
	updates := make(chan update, 1)
	m.updates = updates
	updates <- update{alias: canary(step3)}
	if m.Init() == nil {
		t.Error("nothing is waited for at first")
	}
	_, cmd := m.Update(update{alias: canary()})
	if got, ok := cmd().(update); !ok || got.alias.Status.Rollout.CurrentStepIndex != 2 {
		t.Errorf("after an update comes %v, want the next one", got)
	}
	if _, cmd = m.Update(tick{}); cmd == nil {
		t.Error("a tick is the last one")
	}
	close(updates)
	if _, cmd = m.Update(update{}); cmd() != nil {
		t.Error("the end of the updates is an update")
	}
}

func TestModelView(t *testing.T) {
	m := shown(canary())
	has := func(when string, parts ...string) {
		t.Helper()
		v := m.View()
		if !v.AltScreen {
			t.Error("the view does not have the screen for itself")
		}
		for _, p := range parts {
			if !strings.Contains(ansi.Strip(v.Content), p) {
				t.Errorf("%s: no %q in\n%s", when, p, ansi.Strip(v.Content))
			}
		}
		if lines := strings.Count(v.Content, "\n") + 1; lines > m.screen.height {
			t.Errorf("%s: %d lines on a terminal of %d", when, lines, m.screen.height)
		}
	}
	has("at first", "Progressing, Analyzing", "4m left", "next check in 40s", "q: quit")

	m.now = func() time.Time { return at.Add(30 * time.Second) }
	m.Update(tick{})
	has("half a minute later", "3m30s left", "next check in 10s")
	m.now = func() time.Time { return at.Add(time.Minute) }
	m.Update(tick{})
	has("while the provider does not look, no time of the step passes", "3m20s left", "next check is due")

	m.Update(update{lost: "no route to host"})
	has("without a connection", "connection lost, trying to reconnect: no route to host", "version 1 serves")
	m.Update(update{})
	if strings.Contains(m.View().Content, "connection lost") {
		t.Error("a connection that is back is reported as lost")
	}

	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	has("on a small terminal", "Progressing, Analyzing", "version 1 serves")

	m.Update(update{alias: canary(rejected)})
	if err := m.err; err == nil || err.Error() != failedMessage {
		t.Errorf("got error %v, want %s", err, failedMessage)
	}
	has("at the end", "Failed (AnalysisFailed)", "version 1 serves")
}
