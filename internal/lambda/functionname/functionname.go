// Package functionname parses and prints the name of a function, or of a version or an alias of it, as external names
// have it: function:qualifier. It is pure.
package functionname

import (
	"cmp"
	"regexp"
	"strings"
)

// The versions without a number.
const (
	// Latest is the qualifier of a function itself, for operations that require one.
	Latest = "$LATEST"

	// LatestPublished is the version that functions on Lambda Managed Instances run.
	LatestPublished = "$LATEST.PUBLISHED"
)

// A Name is the name of a function, with an optional qualifier.
type Name struct {
	// Function is the plain name of a function.
	Function string

	// Qualifier is an alias, a version's number or $LATEST. Empty means the function itself.
	Qualifier string
}

// String returns the function, followed by a colon and the qualifier if there is one.
func (n Name) String() string {
	if n.Qualifier == "" {
		return n.Function
	}
	return n.Function + ":" + n.Qualifier
}

// Parse parses what String returns. It returns false if the text is not a name.
func Parse(s string) (Name, bool) {
	function, qualifier, qualified := strings.Cut(s, ":")
	ok := function != "" && qualified == (qualifier != "") && !strings.Contains(qualifier, ":")
	return Name{Function: function, Qualifier: qualifier}, ok
}

// OfARN returns the name in the ARN of a function, a version or an alias. It is empty if the ARN is of another
// resource.
func OfARN(arn string) Name {
	const prefix = 6 // arn, partition, lambda, region, account, function
	parts := strings.SplitN(arn, ":", prefix+1)
	if len(parts) <= prefix || parts[prefix-1] != "function" {
		return Name{}
	}
	n, ok := Parse(parts[prefix])
	if !ok {
		return Name{}
	}
	return n
}

// Or returns the name with a qualifier if it has none.
func (n Name) Or(qualifier string) Name {
	n.Qualifier = cmp.Or(n.Qualifier, qualifier)
	return n
}

// A Reference names a function in one of the forms that AWS's operations accept: by its name, by its ARN, or by its
// ARN from the account on. Each may have a qualifier.
type Reference struct {
	Name

	// Region and Account of the function, empty if the reference does not contain them.
	Region, Account string
}

// referencePattern is the pattern of the FunctionName parameter in Lambda's API model, without the forms that omit
// function: after an account, which nothing prints. The lengths of names and qualifiers are checked apart: a compiled
// expression has a copy of what it repeats for each repetition.
var referencePattern = regexp.MustCompile(
	`^(?:(?:arn:aws[a-zA-Z-]*:lambda:([a-z0-9-]+):)?([0-9]{12}):function:)?([a-zA-Z0-9_-]+)(?::([$]LATEST(?:[.]PUBLISHED)?|[a-zA-Z0-9_-]+))?$`)

// The longest names and qualifiers.
const (
	maxName      = 64
	maxQualifier = 128
)

var accountID = regexp.MustCompile(`^[0-9]{12}$`)

// IsAccountID reports whether a text has the form of an AWS account ID.
func IsAccountID(s string) bool { return accountID.MatchString(s) }

// ParseReference parses a reference. It returns false if the text is not one.
func ParseReference(s string) (Reference, bool) {
	f := referencePattern.FindStringSubmatch(s)
	if f == nil || len(f[3]) > maxName || len(f[4]) > maxQualifier {
		return Reference{}, false
	}
	return Reference{Region: f[1], Account: f[2], Name: Name{Function: f[3], Qualifier: f[4]}}, true
}

// prefixes matches what the same pattern accepts before a name, each alone: a region, an account and the type.
var prefixes = regexp.MustCompile(`^(?:(?:eusc-)?[a-z]{2}(?:-gov|-iso[a-z]?)?-[a-z]+-[0-9]|[0-9]{12}|function)$`)

// IsAmbiguous reports whether AWS may also read the reference as the partial ARN of the function that its qualifier
// names, as in function:cart.
func (r Reference) IsAmbiguous() bool {
	return r.Account == "" && r.Qualifier != "" && prefixes.MatchString(r.Function)
}

// Plain returns the plain name of the function in a reference, or the text itself if it is not one.
func Plain(s string) string {
	if r, ok := ParseReference(s); ok {
		return r.Function
	}
	return s
}
