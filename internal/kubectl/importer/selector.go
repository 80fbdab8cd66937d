package importer

import (
	"fmt"
	"strings"
)

// A Selector selects functions by their tags: all of its requirements must be met. Its zero value selects all.
type Selector []requirement

// A requirement is that a tag exists, and has a value unless any is accepted.
type requirement struct {
	key, value string
	any        bool
}

// ParseSelector parses texts such as team=shop, or team, which accepts any value.
func ParseSelector(texts []string) (Selector, error) {
	var out Selector
	for _, t := range texts {
		key, value, valued := strings.Cut(t, "=")
		if key == "" || strings.HasSuffix(key, "!") {
			return nil, fmt.Errorf("invalid selector %q: use the form tag=value, or tag", t)
		}
		out = append(out, requirement{key: key, value: value, any: !valued})
	}
	return out, nil
}

// Matches reports whether tags meet all requirements.
func (s Selector) Matches(tags map[string]string) bool {
	for _, r := range s {
		if v, ok := tags[r.key]; !ok || !r.any && v != r.value {
			return false
		}
	}
	return true
}
