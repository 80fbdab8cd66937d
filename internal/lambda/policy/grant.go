package policy

import "strings"

// The keys of the conditions in a Grant, as a Statement has them.
const (
	keySourceArn        = "aws:sourcearn"
	keySourceAccount    = "aws:sourceaccount"
	keyPrincipalOrgID   = "aws:principalorgid"
	keyEventSourceToken = "lambda:eventsourcetoken"
	keyURLAuthType      = "lambda:functionurlauthtype"
	keyInvokedViaURL    = "lambda:invokedviafunctionurl"
)

// Operators of the conditions in a Grant, the one of a new statement first. AWS has several to compare an ARN to a
// pattern: it documents one, and returns another.
var (
	matchesARN   = []string{"ArnLike", "ArnEquals", "StringLike"}
	stringEquals = []string{"StringEquals"}
	isBool       = []string{"Bool"}
)

// A Grant is a statement that allows one action to one principal, in the terms of AddPermission and
// AddLayerVersionPermission. Two grants that mean the same are equal in the forms that Normal and GrantOf return.
type Grant struct {
	// Action is the allowed one, such as lambda:InvokeFunction.
	Action string `json:"action"`

	// Principal is a service, an account, the ARN of a user or role, or "*".
	Principal string `json:"principal"`

	// The conditions, empty if absent. InvokedViaFunctionURL is true or false.
	SourceArn             string `json:"sourceArn"`
	SourceAccount         string `json:"sourceAccount"`
	EventSourceToken      string `json:"eventSourceToken" diff:"secret"`
	FunctionURLAuthType   string `json:"functionUrlAuthType"`
	PrincipalOrgID        string `json:"principalOrgId"`
	InvokedViaFunctionURL string `json:"invokedViaFunctionUrl"`

	// Rest is the remainder of a statement, as JSON. It is empty in a desired grant.
	Rest string `json:"statement"`
}

// Normal returns the grant in the form that GrantOf returns.
func (g Grant) Normal() Grant {
	g.Principal = account(g.Principal)
	return g
}

// Like returns an observed grant with the values of the desired one wherever both mean the same.
// The grants are equivalent if the result equals wanted.Normal().
func (g Grant) Like(wanted Grant) Grant {
	g = g.Normal()
	if strings.EqualFold(g.Action, wanted.Action) {
		g.Action = wanted.Action
	}
	if g.InvokedViaFunctionURL == "" && wanted.InvokedViaFunctionURL == "false" {
		g.InvokedViaFunctionURL = wanted.InvokedViaFunctionURL
	}
	return g
}

// A grantCondition is a condition in a Grant, with its value.
type grantCondition struct {
	operators []string
	key       string
	value     *string
}

func conditionsOf(g *Grant) []grantCondition {
	return []grantCondition{
		{matchesARN, keySourceArn, &g.SourceArn},
		{stringEquals, keySourceAccount, &g.SourceAccount},
		{stringEquals, keyEventSourceToken, &g.EventSourceToken},
		{stringEquals, keyURLAuthType, &g.FunctionURLAuthType},
		{stringEquals, keyPrincipalOrgID, &g.PrincipalOrgID},
		{isBool, keyInvokedViaURL, &g.InvokedViaFunctionURL},
	}
}

// Statement returns the statement about a resource that AWS adds for the grant.
func (g Grant) Statement(sid, resource string) Statement {
	s := Statement{
		Sid: sid, Effect: allow, Principal: principal(g.Principal), Action: []string{g.Action},
		Resource: []string{resource}, Condition: Condition{},
	}
	for _, c := range conditionsOf(&g) {
		if *c.value != "" {
			s.Condition.add(c.operators[0], c.key, []string{*c.value})
		}
	}
	return s
}

// GrantOf returns the grant of a statement about one resource, whose ARN must end with suffix, such
// as ":function:cart:live".
func GrantOf(s Statement, suffix string) Grant {
	g := Grant{}
	s.Sid = ""
	s.Condition = s.Condition.clone()
	if s.Effect == allow {
		s.Effect = ""
	}
	if g.Principal = onlyPrincipal(s.Principal); g.Principal != "" {
		s.Principal = nil
	}
	if len(s.Action) == 1 {
		g.Action, s.Action = s.Action[0], nil
	}
	if len(s.Resource) == 1 && strings.HasPrefix(s.Resource[0], "arn:") && strings.HasSuffix(s.Resource[0], suffix) {
		s.Resource = nil
	}
	for _, c := range conditionsOf(&g) {
		for _, operator := range c.operators {
			s.Condition.move(operator, c.key, c.value)
		}
	}
	g.InvokedViaFunctionURL = strings.ToLower(g.InvokedViaFunctionURL)
	if rest := s.Text(); rest != "{}" {
		g.Rest = rest
	}
	return g
}

// Tokens returns the event source tokens of a condition, which are secrets.
func (c Condition) Tokens() []string {
	var all []string
	for _, keys := range c {
		all = append(all, keys[keyEventSourceToken]...)
	}
	return all
}
