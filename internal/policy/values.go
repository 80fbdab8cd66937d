package policy

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
)

// texts is a value that may be written as one or as a list: of strings, or of numbers
// and booleans, which mean the same as their texts.
type texts []string

// UnmarshalJSON reads one value or a list.
func (t *texts) UnmarshalJSON(b []byte) error {
	var values []any
	d := json.NewDecoder(strings.NewReader(string(listed(b))))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		return explain(err)
	}
	for _, v := range values {
		s, err := scalar(v)
		if err != nil {
			return err
		}
		*t = append(*t, s)
	}
	return nil
}

func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		return number(v), nil
	}
	return "", errors.New("a value is not a string, number or boolean")
}

// number is the shortest text of a number: 5 for 5.0.
func number(n json.Number) string {
	if _, err := n.Int64(); err == nil {
		return n.String()
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// principals is who a statement is about: "*", or lists by kind.
type principals map[string][]string

// UnmarshalJSON reads "*" or lists by kind.
func (p *principals) UnmarshalJSON(b []byte) error {
	in := map[string]texts{}
	if strings.HasPrefix(strings.TrimSpace(string(b)), "{") {
		if err := json.Unmarshal(b, &in); err != nil {
			return explain(err)
		}
	} else {
		anyone := texts{}
		if err := anyone.UnmarshalJSON(b); err != nil {
			return err
		}
		if !slices.Equal(anyone, texts{everyone}) {
			return errors.New("a principal that is not a JSON object must be \"*\"")
		}
		in[kindAWS] = anyone
	}
	out := principals{}
	for kind, who := range in {
		if len(who) > 0 {
			out[kind] = set(accounts(kind, who))
		}
	}
	if len(out) > 0 {
		*p = out
	}
	return nil
}

const (
	kindAWS     = "AWS"
	kindService = "Service"
	everyone    = "*"
)

var rootARN = regexp.MustCompile(`^arn:aws[a-zA-Z-]*:iam::([0-9]{12}):root$`)

// accounts are principals with the ARNs of root users, by which AWS writes accounts,
// as account ids.
func accounts(kind string, who []string) []string {
	if kind != kindAWS {
		return who
	}
	out := make([]string, 0, len(who))
	for _, w := range who {
		out = append(out, account(w))
	}
	return out
}

func account(who string) string {
	if m := rootARN.FindStringSubmatch(who); m != nil {
		return m[1]
	}
	return who
}

// principal is what a policy says for the principal that AddPermission is given.
func principal(given string) map[string][]string {
	if given == everyone || strings.HasPrefix(given, "arn:") || functionname.IsAccountID(given) {
		return map[string][]string{kindAWS: {account(given)}}
	}
	return map[string][]string{kindService: {given}}
}

// onlyPrincipal is the principal that AddPermission would have to be given, empty
// where that can't say it.
func onlyPrincipal(of map[string][]string) string {
	if len(of) != 1 {
		return ""
	}
	for _, kind := range []string{kindAWS, kindService} {
		if who := of[kind]; len(who) == 1 && maps.EqualFunc(of, principal(who[0]), slices.Equal[[]string]) {
			return who[0]
		}
	}
	return ""
}
