package cloudtrail

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// Lengths are checked apart from the patterns: a compiled regular expression has a copy of what it repeats for each
// repetition, and stays in memory.
var (
	regionPattern    = regexp.MustCompile(`^[a-z]{2,}(-[a-z0-9]+)+$`)
	operationPattern = regexp.MustCompile(`^([A-Za-z]+?)(?:[0-9]{8}(?:v[0-9]+)?)?$`)
	namePattern      = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	qualifierPattern = regexp.MustCompile(`^(?:\$LATEST(?:\.PUBLISHED)?|[a-zA-Z0-9_-]+)$`)
	numberPattern    = regexp.MustCompile(`^[0-9]+$`)
	arnPattern       = regexp.MustCompile(`^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:[a-zA-Z0-9$._:-]+$`)
)

// A Subject is the resource that a call names.
type Subject struct {
	// Account and Region of what the call names. They are those of the event unless the call names another.
	Account, Region string

	// Function is the name of a function, with the version or alias that the call names.
	Function functionname.Name

	// Layer is the name of a layer, and LayerVersion the number of one of its versions.
	Layer, LayerVersion string

	// Name is the external name of another resource: the UUID of an event source mapping, the ARN of a code signing
	// configuration, or the name of a capacity provider.
	Name string
}

// IsZero reports whether the call names nothing that this provider manages.
func (s *Subject) IsZero() bool { return s.Function.Function == "" && s.Layer == "" && s.Name == "" }

// record is a record of CloudTrail. It has only the fields that are used: others may hold secrets.
type record struct {
	EventTime          text                `json:"eventTime"`
	EventSource        text                `json:"eventSource"`
	EventName          text                `json:"eventName"`
	Region             text                `json:"awsRegion"`
	SourceIP           text                `json:"sourceIPAddress"`
	UserAgent          text                `json:"userAgent"`
	ErrorCode          text                `json:"errorCode"`
	ErrorMessage       text                `json:"errorMessage"`
	RecipientAccountID text                `json:"recipientAccountId"`
	ReadOnly           literal             `json:"readOnly"`
	UserIdentity       lenient[identity]   `json:"userIdentity"`
	Request            lenient[parameters] `json:"requestParameters"`
	Response           lenient[parameters] `json:"responseElements"`
}

func isRegion(s string) bool { return len(s) <= 32 && regionPattern.MatchString(s) }

func isName(s string) bool { return len(s) <= 140 && namePattern.MatchString(s) }

func isQualifier(s string) bool { return len(s) <= 128 && qualifierPattern.MatchString(s) }

func isNumber(s string) bool { return len(s) <= 19 && numberPattern.MatchString(s) }

func isARN(s string) bool { return len(s) <= 350 && arnPattern.MatchString(s) }

// operationOf returns the operation of an event's name, which may end with the version of an API:
// UpdateFunctionConfiguration of UpdateFunctionConfiguration20150331v2.
func operationOf(eventName string) (string, bool) {
	m := operationPattern.FindStringSubmatch(eventName)
	if m == nil || len(m[1]) > 64 {
		return "", false
	}
	return m[1], true
}

// parameters are the parameters of a request or of its response that name something. Which of them a call has depends
// on the operation. The names are matched without regard to case: CloudTrail spells UUID in its own way.
type parameters struct {
	FunctionName         text    `json:"functionName"`
	FunctionArn          text    `json:"functionArn"`
	Qualifier            text    `json:"qualifier"`
	Name                 text    `json:"name"`
	UUID                 text    `json:"uuid"`
	Resource             text    `json:"resource"`
	ResourceArn          text    `json:"resourceArn"`
	LayerName            text    `json:"layerName"`
	VersionNumber        literal `json:"versionNumber"`
	CodeSigningConfigArn text    `json:"codeSigningConfigArn"`
	CapacityProviderName text    `json:"capacityProviderName"`
}

// subjectOf returns what a call is about, given the account and region of its event. Parameters that AWS would not
// accept are ignored.
func subjectOf(d record, account, region string) Subject {
	s := Subject{Account: account, Region: region}
	if functionname.IsAccountID(string(d.RecipientAccountID)) {
		s.Account = string(d.RecipientAccountID)
	}
	if isRegion(string(d.Region)) {
		s.Region = string(d.Region)
	}
	p := d.Request.value
	s.setFunction(string(p.FunctionName), qualifierOf(d))
	s.setLayer(string(p.LayerName), string(p.VersionNumber))
	s.setARN(string(cmp.Or(p.Resource, p.ResourceArn)))
	if strings.Contains(string(d.EventName), "CodeSigningConfig") && p.FunctionName == "" {
		s.setARN(string(p.CodeSigningConfigArn))
	}
	if id := string(cmp.Or(p.UUID, d.Response.value.UUID)); isName(id) {
		s.Name = id
	}
	if name := string(p.CapacityProviderName); name != "" {
		s.setCapacityProvider(name)
	}
	return s
}

// qualifierOf returns the version or the alias that a call names beside the function.
func qualifierOf(d record) string {
	q := string(d.Request.value.Qualifier)
	if strings.Contains(string(d.EventName), "Alias") {
		q = string(d.Request.value.Name)
	}
	if !isQualifier(q) {
		return ""
	}
	return q
}

// setFunction sets the function to a reference in any of AWS's forms. AWS also accepts ARNs that omit parts.
func (s *Subject) setFunction(ref, qualifier string) {
	r, ok := functionname.ParseReference(ref)
	if !ok {
		return
	}
	s.Account, s.Region = cmp.Or(r.Account, s.Account), cmp.Or(r.Region, s.Region)
	s.Function = r.Or(qualifier)
}

func (s *Subject) setLayer(name, version string) {
	if a, err := arn.Parse(name); err == nil && isARN(name) {
		s.Account, s.Region = a.AccountID, a.Region
		name = strings.TrimPrefix(a.Resource, "layer:")
	}
	name, inARN, _ := strings.Cut(name, ":")
	if !isName(name) {
		return
	}
	s.Layer = name
	if v := cmp.Or(version, inARN); isNumber(v) {
		s.LayerVersion = v
	}
}

// setCapacityProvider sets the external name to that of a capacity provider, given its name or its ARN.
func (s *Subject) setCapacityProvider(name string) {
	if a, err := arn.Parse(name); err == nil && isARN(name) {
		s.setARN(name)
		name = strings.TrimPrefix(a.Resource, "capacity-provider:")
	}
	if isName(name) {
		s.Name = name
	}
}

func (s *Subject) setARN(ref string) {
	a, err := arn.Parse(ref)
	if err != nil || !isARN(ref) {
		return
	}
	s.Account, s.Region = a.AccountID, a.Region
	kind, name, _ := strings.Cut(a.Resource, ":")
	switch kind {
	case "function":
		s.setFunction(ref, "")
	case "layer":
		s.setLayer(ref, "")
	case "event-source-mapping", "capacity-provider":
		if isName(name) {
			s.Name = name
		}
	case "code-signing-config":
		s.Name = ref
	}
}

// verb is the beginning of the name of an operation. What follows is what it changes.
var verb = regexp.MustCompile("^(Add|Create|Delete|Publish|Put|Remove|Update)")

// dependents has the operations that also delete what belongs to what they delete.
var dependents = []string{"DeleteFunction", "DeleteAlias", "DeleteLayerVersion"}

// concerned has the kinds of managed resources that an operation may change, by what follows its verb. What is not
// listed may change all.
var concerned = map[string][]string{
	"FunctionCode":              {v1beta1.FunctionKind, v1beta1.VersionKind},
	"FunctionConfiguration":     {v1beta1.FunctionKind, v1beta1.VersionKind},
	"FunctionConcurrency":       {v1beta1.FunctionKind},
	"FunctionCodeSigningConfig": {v1beta1.FunctionKind},
	"FunctionRecursionConfig":   {v1beta1.FunctionKind},
	"FunctionScalingConfig":     {v1beta1.FunctionKind},
	"Version":                   {v1beta1.FunctionKind, v1beta1.VersionKind},

	"TagResource":   taggable,
	"UntagResource": taggable,

	"Permission":     {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},
	"ResourcePolicy": {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},

	"Alias":                        {v1beta1.AliasKind},
	"FunctionUrlConfig":            {v1beta1.FunctionURLKind},
	"FunctionEventInvokeConfig":    {v1beta1.FunctionEventInvokeConfigKind},
	"ProvisionedConcurrencyConfig": {v1beta1.ProvisionedConcurrencyConfigKind},
	"RuntimeManagementConfig":      {v1beta1.RuntimeManagementConfigKind},
	"EventSourceMapping":           {v1beta1.EventSourceMappingKind},
	"LayerVersion":                 {v1beta1.LayerVersionKind},
	"LayerVersionPermission":       {v1beta1.LayerVersionPermissionKind},
	"CodeSigningConfig":            {v1beta1.CodeSigningConfigKind},
	"CapacityProvider":             {v1beta1.CapacityProviderKind},
}

var taggable = []string{
	v1beta1.FunctionKind, v1beta1.EventSourceMappingKind, v1beta1.CodeSigningConfigKind, v1beta1.CapacityProviderKind,
}

// Concerns reports whether an operation may change what a kind of managed resource manages.
func Concerns(operation, kind string) bool {
	kinds, known := concerned[verb.ReplaceAllString(operation, "")]
	return !known || slices.Contains(dependents, operation) || slices.Contains(kinds, kind)
}
