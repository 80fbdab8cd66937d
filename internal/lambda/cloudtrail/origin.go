package cloudtrail

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// AppID is the part of the user agent by which the SDK names this provider.
const AppID = "provider-lambda"

// Lengths of what is kept, in bytes.
const (
	maxPrincipal = 256
	maxAgent     = 64
	maxSourceIP  = 64
	maxUserAgent = 4096
)

// An Origin is the caller of an operation. Its texts have only printable characters of ASCII.
type Origin struct {
	// Principal is the ARN of the user or of the session that made the call, or what AWS says instead of an ARN.
	Principal string

	// Agent is the program, such as aws-cli/2.15.30. The caller chooses it.
	Agent string

	// Operation such as UpdateFunctionConfiguration.
	Operation string

	// SourceIP is the address that the call came from.
	SourceIP string

	// Time of the call.
	Time time.Time

	// Provider reports whether the user agent is that of this provider.
	Provider bool
}

// IsZero reports whether nothing is known of the call.
func (o Origin) IsZero() bool { return o.Operation == "" }

// String describes the call, without where it came from: who made it, with which program, when.
func (o Origin) String() string { return o.describe("") }

// StringWithSourceIP describes the call with where it came from.
func (o Origin) StringWithSourceIP() string {
	if o.SourceIP == "" || o.SourceIP == o.Agent {
		return o.describe("")
	}
	return o.describe(" from " + o.SourceIP)
}

func (o Origin) describe(from string) string {
	with := ""
	if o.Agent != "" && !strings.HasSuffix(o.Principal, o.Agent) {
		with = " with " + o.Agent
	}
	return cmp.Or(o.Principal,
		"an unknown principal") + with + from + " (" + o.Operation + ") at " + o.Time.UTC().Format(time.RFC3339)
}

// MadeBy reports whether the call was made by this provider as an identity of AWS. A session of the same role counts
// as the identity, because some sources of credentials change its name. The user agent alone proves nothing, because
// the caller chooses it.
func (o Origin) MadeBy(identity string) bool {
	return o.Provider && identity != "" && roleOf(o.Principal) == roleOf(identity)
}

// roleOf returns the ARN of an assumed role without the name of the session, and any other principal as it is.
func roleOf(principal string) string {
	if !strings.Contains(principal, ":assumed-role/") {
		return principal
	}
	if i := strings.LastIndexByte(principal, '/'); i > 0 {
		return principal[:i]
	}
	return principal
}

// identity is the userIdentity of a record.
type identity struct {
	Type        text          `json:"type"`
	ARN         text          `json:"arn"`
	PrincipalID text          `json:"principalId"`
	AccountID   text          `json:"accountId"`
	UserName    text          `json:"userName"`
	InvokedBy   text          `json:"invokedBy"`
	OnBehalfOf  lenient[user] `json:"onBehalfOf"`
}

// user is a user of IAM Identity Center.
type user struct {
	UserID text `json:"userId"`
}

// principal returns who made the call. The ARN is that of the session for a role, and names the user. An AWS service
// has none.
func (i *identity) principal() string {
	through := ""
	if i.InvokedBy != "" && i.ARN != "" {
		through = clean(" through "+string(i.InvokedBy), maxAgent)
	}
	who := cmp.Or(i.ARN, i.InvokedBy)
	if who == "" {
		who = text(strings.TrimSpace(string(i.Type + " " + cmp.Or(i.UserName, i.OnBehalfOf.value.UserID, i.PrincipalID,
			i.AccountID))))
	}
	return clean(string(who), maxPrincipal) + through
}

// agent returns the program in a user agent: Terraform and applications that name themselves, otherwise the first
// product.
func agent(userAgent string) string {
	userAgent = strings.Trim(userAgent[:min(len(userAgent), maxUserAgent)], "[] ")
	products := strings.Fields(userAgent)
	for _, p := range products {
		if app, ok := strings.CutPrefix(p, "app/"); ok && app != "" {
			return clean(app, maxAgent)
		}
		if strings.HasPrefix(p, "Terraform/") || strings.HasPrefix(p, "Pulumi/") {
			return clean(p, maxAgent)
		}
	}
	if len(products) > 0 && strings.Contains(products[0], "/") {
		return clean(products[0], maxAgent)
	}
	return clean(userAgent, maxAgent)
}

// isProvider reports whether a user agent is that of this provider.
func isProvider(userAgent string) bool {
	return slices.Contains(strings.Fields(strings.Trim(userAgent[:min(len(userAgent), maxUserAgent)], "[] ")),
		"app/"+AppID)
}

// clean returns a text with at most a number of bytes. Characters that are not printable ASCII become question marks.
func clean(s string, most int) string {
	const ellipsis = "..."
	cut := len(s) > most
	if cut {
		s = s[:most-len(ellipsis)]
	}
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	if cut {
		b = append(b, ellipsis...)
	}
	return string(b)
}
