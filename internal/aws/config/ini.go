package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const defaultProfile = "default"

// Names of the three keys, in an INI file and as entries of a Secret.
const (
	keyAccessKeyID     = "aws_access_key_id"
	keySecretAccessKey = "aws_secret_access_key"
	keySessionToken    = "aws_session_token"
)

// parseINI reads credentials from a file such as ~/.aws/credentials. Errors name
// lines and keys, never what is in them.
func parseINI(data []byte, profile string) (aws.Credentials, error) {
	if profile == "" {
		profile = defaultProfile
	}
	sections, err := parseSections(string(data))
	if err != nil {
		return aws.Credentials{}, err
	}
	section, ok := sections[profile]
	if !ok {
		return aws.Credentials{}, fmt.Errorf("profile %q does not exist (the file has %s): set credentials.profile to one that exists", profile, profiles(sections))
	}
	c, err := keysOf(section)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("profile %q %w", profile, err)
	}
	return c, nil
}

// parseSections of an INI file. Keys are lower case; a section may be named as in
// ~/.aws/config, with the word profile before it.
func parseSections(data string) (map[string]map[string]string, error) {
	sections, section := map[string]map[string]string{}, ""
	for i, line := range strings.Split(data, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, ok = strings.CutSuffix(name, "]")
			if !ok {
				return nil, fmt.Errorf("line %d opens a section without closing it: write [default]", i+1)
			}
			section = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "profile "))
			if sections[section] == nil {
				sections[section] = map[string]string{}
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		switch {
		case !ok:
			return nil, fmt.Errorf("line %d is neither a [section] nor key = value", i+1)
		case section == "":
			return nil, fmt.Errorf("line %d is outside any section: start with [default]", i+1)
		}
		sections[section][strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return sections, nil
}

// keysOf a section of an INI file, or of a Secret with an entry a key.
func keysOf(values map[string]string) (aws.Credentials, error) {
	c := aws.Credentials{
		AccessKeyID:     values[keyAccessKeyID],
		SecretAccessKey: values[keySecretAccessKey],
		SessionToken:    values[keySessionToken],
	}
	switch {
	case c.AccessKeyID == "":
		return aws.Credentials{}, fmt.Errorf("has no %s", keyAccessKeyID)
	case c.SecretAccessKey == "":
		return aws.Credentials{}, fmt.Errorf("has no %s", keySecretAccessKey)
	default:
		return c, nil
	}
}

// profiles lists the sections.
func profiles(sections map[string]map[string]string) string {
	return namesIn(sections, "no profiles")
}

// maxNames bounds how many names an error lists, each by its first 64 characters.
const maxNames = 10

// namesIn lists the keys of a map, in quotes, or says that there are none.
func namesIn[V any](m map[string]V, none string) string {
	if len(m) == 0 {
		return none
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, fmt.Sprintf("%.64q", name))
	}
	slices.Sort(names)
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), more)
	}
	return strings.Join(names, ", ")
}
