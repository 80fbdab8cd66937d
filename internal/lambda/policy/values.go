package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// texts is a value or a list of values: strings, or numbers and booleans, which mean the same as their texts.
type texts []string

// UnmarshalJSON decodes one value or a list.
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

// number returns the shortest text of a number: 5 for 5.0.
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

// principals are the principals of a statement: "*", or lists by kind.
type principals map[string][]string

// UnmarshalJSON decodes lists by kind, or a text. AWS only returns "*" as a text, and
// emulators of AWS what AddPermission was sent.
func (p *principals) UnmarshalJSON(b []byte) error {
	in := map[string]texts{}
	if strings.HasPrefix(strings.TrimSpace(string(b)), "{") {
		if err := json.Unmarshal(b, &in); err != nil {
			return explain(err)
		}
	} else {
		who := texts{}
		if err := who.UnmarshalJSON(b); err != nil {
			return err
		}
		for _, w := range who {
			for kind, of := range principal(w) {
				in[kind] = append(in[kind], of...)
			}
		}
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

// isBare reports whether a statement has a principal other than "*" as a text, which IAM does not accept.
func isBare(statement json.RawMessage) bool {
	in := struct {
		Principal any `json:"Principal"`
	}{}
	if json.Unmarshal(statement, &in) != nil {
		return false
	}
	text, ok := in.Principal.(string)
	return ok && text != everyone
}

const (
	kindAWS     = "AWS"
	kindService = "Service"
	everyone    = "*"
)

var rootARN = regexp.MustCompile(`^arn:aws[a-zA-Z-]*:iam::([0-9]{12}):root$`)

// accounts returns principals with account IDs in place of the ARNs of root users, which AWS returns for accounts.
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

// principal returns the element of a policy for the principal that AddPermission gets.
func principal(given string) map[string][]string {
	if given == everyone || strings.HasPrefix(given, "arn:") || functionname.IsAccountID(given) {
		return map[string][]string{kindAWS: {account(given)}}
	}
	return map[string][]string{kindService: {given}}
}

// principalID matches the ID of a role or a user.
var principalID = regexp.MustCompile(`^A(RO|ID)A[A-Z0-9]+$`)

// onlyPrincipal returns the principal for which AddPermission would write an element, empty if there is none.
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

// explain returns an error of the decoder without Go's names of types.
func explain(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return fmt.Errorf("%.100s can't be a %s", e.Field, e.Value)
	} else if ok {
		return fmt.Errorf("expected a JSON object, not %s", e.Value)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON is incomplete")
	}
	return fmt.Errorf("%.200s", strings.TrimPrefix(err.Error(), "json: "))
}

// listed returns a list of the element, or the list if it is one.
func listed(text json.RawMessage) []byte {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return []byte("[]")
	case text[0] == '[':
		return text
	}
	return slices.Concat([]byte("["), text, []byte("]"))
}

// set returns a list sorted and without duplicates, nil if it is empty.
func set(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	list = slices.Sorted(slices.Values(list))
	return slices.Compact(list)
}
