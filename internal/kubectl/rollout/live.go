package rollout

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// A tick makes the countdowns be drawn again.
type tick struct{}

// A model is the live view of a terminal.
type model struct {
	tracker *tracker
	updates <-chan update
	goal    goal
	now     func() time.Time
	screen  screen

	// ended says that the view is over, with the error if there is one.
	ended bool
	err   error
}

// Init begins to receive updates.
func (m *model) Init() tea.Cmd { return tea.Batch(m.receive(), m.second()) }

// receive returns a command that waits for the next update.
func (m *model) receive() tea.Cmd {
	return func() tea.Msg {
		if u, ok := <-m.updates; ok {
			return u
		}
		return nil // The context has ended, and with it the program.
	}
}

// second returns a command that waits for the next tick.
func (m *model) second() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tick{} })
}

// Update handles an update, a key or a new size.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.screen.width, m.screen.height = msg.Width, msg.Height
	case tick:
		return m, m.second()
	case update:
		if m.ended, m.err = m.tracker.handle(msg, m.goal); m.ended {
			return m, tea.Quit
		}
		return m, m.receive()
	case tea.InterruptMsg:
		m.ended, m.err = true, kubectl.ErrInterrupted
		return m, tea.Quit
	case tea.KeyPressMsg:
		switch msg.String() {
		case "ctrl+c", "q":
			m.ended, m.err = true, kubectl.ErrInterrupted
			return m, tea.Quit
		case "ctrl+z":
			return m, tea.Suspend
		}
	}
	return m, nil
}

// View returns what the terminal shows. While it is watched, it has the whole screen, so that a terminal of another
// size is drawn anew.
func (m *model) View() tea.View {
	sc, hint := m.screen, ""
	sc.now = m.now()
	if !m.ended && sc.width >= narrow {
		sc.height, hint = max(sc.height-1, 1), "\n"+kubectl.Dim.Render("q: quit; the rollout continues")
	}
	v := tea.NewView(kubectl.EscapeStyled(view(m.tracker, sc) + hint))
	v.AltScreen = true
	return v
}
