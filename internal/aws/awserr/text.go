package awserr

import (
	"regexp"
	"strings"
)

// Lengths in characters.
const (
	// maxLength is the length of a sanitized message of AWS.
	maxLength = 400

	// maxCause is the length of an error that CauseFirst puts first.
	maxCause = 4096

	// maxPart is the length of a code, and of each name in a message of IAM.
	maxPart = 200
)

// The parts of a message that differ between attempts, or are of no use to a reader.
var (
	javaSuffix = regexp.MustCompile(`\s*\((?:Service|RequestId|Request ID|Status Code)[:=][^)]*\)`)
	requestIDs = regexp.MustCompile(
		`(?i),?\s*\b(?:request ?id|host ?id|extended request ?id)\b\s*[:=]?\s*[A-Za-z0-9+/=_-]+`)
	encodedMessage = regexp.MustCompile(`(?i)\.?\s*Encoded authorization failure message: \S+`)
	agentIDs       = regexp.MustCompile(`\[[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\]: `) // Of EKS Pod Identity.
	urls           = regexp.MustCompile(`https?://[^\s"')]*[^\s"'):.,;]`)
	sessionName    = regexp.MustCompile(`(assumed-role/[^/\s]+)/[^\s:,)]+`)
	timestamps     = regexp.MustCompile(`\d{8}T\d{6}Z`)
	hostPorts      = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-fA-F]*:[0-9a-fA-F:]*\](?::\d+)?`)
	spaces         = regexp.MustCompile(`\s+`)
)

// scrub removes from a message what differs between attempts, and shortens it.
func scrub(m string) string { return cut(steady(m), maxLength) }

func steady(m string) string {
	m = javaSuffix.ReplaceAllString(m, "")
	m = encodedMessage.ReplaceAllString(m, "")
	m = requestIDs.ReplaceAllString(m, "")
	m = agentIDs.ReplaceAllString(m, "")
	m = urls.ReplaceAllString(m, "<url>")
	m = sessionName.ReplaceAllString(m, "$1")
	m = timestamps.ReplaceAllString(m, "<time>")
	m = hostPorts.ReplaceAllString(m, "<address>")
	return strings.TrimSpace(spaces.ReplaceAllString(m, " "))
}

// cut shortens a text to a number of characters. The result is valid UTF-8, as conditions and events require.
func cut(m string, most int) string {
	m = strings.ToValidUTF8(m, "\uFFFD")
	if r := []rune(m); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return m
}
