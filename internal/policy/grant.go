package policy

import "strings"

// The keys of conditions that a Grant knows, as a Statement has them.
const (
	keySourceArn        = "aws:sourcearn"
	keySourceAccount    = "aws:sourceaccount"
	keyPrincipalOrgID   = "aws:principalorgid"
	keyEventSourceToken = "lambda:eventsourcetoken"
	keyURLAuthType      = "lambda:functionurlauthtype"
	keyInvokedViaURL    = "lambda:invokedviafunctionurl"
)

const (
	stringEquals = "StringEquals"
	isBool       = "Bool"
)

// sourceOperators are those by which AWS compares an ARN with one that may have
// wildcards: it documents one, and answers another.
var sourceOperators = []string{"ArnLike", "ArnEquals", "StringLike"}

// A Grant is a statement that allows one action to one principal, in the terms of
// AddPermission and AddLayerVersionPermission. Two grants that mean the same are equal
// as they come from Normal and GrantOf.
type Grant struct {
	// Action that is allowed, such as lambda:InvokeFunction.
	Action string `json:"action"`

	// Principal who may: a service, an account, the ARN of a user or role, or "*".
	Principal string `json:"principal"`

	// Conditions, each empty where there is none. InvokedViaFunctionURL is true or false.
	SourceArn             string `json:"sourceArn"`
	SourceAccount         string `json:"sourceAccount"`
	EventSourceToken      string `json:"eventSourceToken"`
	FunctionURLAuthType   string `json:"functionUrlAuthType"`
	PrincipalOrgID        string `json:"principalOrgId"`
	InvokedViaFunctionURL string `json:"invokedViaFunctionUrl"`

	// Rest is what a statement says beyond all that, as JSON. A wanted grant has none.
	Rest string `json:"statement"`
}

// Normal is the grant as GrantOf would read it.
func (g Grant) Normal() Grant {
	g.Principal = account(g.Principal)
	return g
}

// Like is an observed grant in the words of the wanted one, wherever both mean the same.
// They are the same if it equals wanted.Normal().
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

// GrantOf reads a statement about one resource, whose ARN has to end with suffix, such
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
	for _, operator := range sourceOperators {
		s.Condition.move(operator, keySourceArn, &g.SourceArn)
	}
	s.Condition.move(stringEquals, keySourceAccount, &g.SourceAccount)
	s.Condition.move(stringEquals, keyEventSourceToken, &g.EventSourceToken)
	s.Condition.move(stringEquals, keyURLAuthType, &g.FunctionURLAuthType)
	s.Condition.move(stringEquals, keyPrincipalOrgID, &g.PrincipalOrgID)
	s.Condition.move(isBool, keyInvokedViaURL, &g.InvokedViaFunctionURL)
	g.InvokedViaFunctionURL = strings.ToLower(g.InvokedViaFunctionURL)
	if rest := s.Text(); rest != "{}" {
		g.Rest = rest
	}
	return g
}
