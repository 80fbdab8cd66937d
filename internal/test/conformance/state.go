package conformance

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

const (
	// TagKey is the key of the tag that all taggable resources of a run have. Its value is the ID of the run.
	TagKey = "provider-lambda-conformance"

	// RolePath is the path of the roles that runs make.
	RolePath = "/provider-lambda-conformance/"

	// runDigits is the length of a run's ID.
	runDigits = 8
)

// A Run identifies a run: what it made, and where.
type Run struct {
	ID      string `json:"run"`
	Account string `json:"account"`
	Region  string `json:"region"`
	// Endpoint is the URL of an emulator, empty for AWS.
	Endpoint string `json:"endpoint,omitempty"`
}

// NewID returns a new ID of a run: eight hexadecimal digits.
func NewID() string {
	b := make([]byte, runDigits/2) //nolint:mnd // Two digits a byte.
	_, _ = rand.Read(b)            // It never fails.
	return hex.EncodeToString(b)
}

// Prefix begins the names of all that the run makes.
func (r Run) Prefix() string { return "plc-" + r.ID + "-" }

// A Made is something that a run makes in AWS. The name is a function's, a layer's, a capacity provider's, a queue's or
// a role's; or else a mapping's UUID or a configuration's ARN, which are known only after AWS has answered.
type Made struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// A State is the file that says what a run makes. Each is written before it is made, so that Clean can remove it
// whenever the run ends. It is safe for concurrent use.
type State struct {
	Run Run

	mu   sync.Mutex
	file *os.File
	made []Made
}

// NewState creates the file of a run. It fails if the file exists, since it may name what another run has left.
func NewState(path string, r Run) (*State, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // The user names it.
	if errors.Is(err, os.ErrExist) {
		return nil,
			fmt.Errorf("%s is the state of an earlier run: remove what that has left with `make conformance-clean`, "+
				"which also removes the file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make the file that says what the run makes: %w", err)
	}
	s := &State{Run: r, file: f}
	if err := s.append(r); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadState reads the file of a run that has ended. A last line that was not written in full is ignored.
func ReadState(path string) (*State, error) {
	f, err := os.Open(path) //nolint:gosec // The user names it.
	if err != nil {
		return nil, fmt.Errorf("cannot read what a run has made: %w", err)
	}
	defer f.Close() //nolint:errcheck // It is only read.
	s := &State{}
	lines := bufio.NewScanner(f)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &s.Run) != nil || !s.Run.valid() {
		return nil, fmt.Errorf("%s is not the state of a run: its first line must have run, account and region", path)
	}
	for lines.Scan() {
		var m Made
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			s.made = append(s.made, m)
		}
	}
	return s, lines.Err()
}

func (r Run) valid() bool {
	return len(r.ID) == runDigits && strings.Trim(r.ID, "0123456789abcdef") == "" && r.Account != "" && r.Region != ""
}

// Add writes that the run makes something, and returns when that is on disk.
func (s *State) Add(m Made) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.made, m) {
		return nil
	}
	if err := s.append(m); err != nil {
		return err
	}
	s.made = append(s.made, m)
	return nil
}

// Made returns what the run has made or was about to make of a kind, by name.
func (s *State) Made(kind string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, m := range s.made {
		if m.Kind == kind {
			out = append(out, m.Name)
		}
	}
	return out
}

func (s *State) append(v any) error {
	if s.file == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err == nil {
		_, err = s.file.Write(append(b, '\n'))
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot write what the run makes, so it is not made: %w", err)
	}
	return nil
}

// Close closes the file.
func (s *State) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
