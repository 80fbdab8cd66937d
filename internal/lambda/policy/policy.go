// Package policy compares resource-based policies by their meaning. It is pure.
//
// AWS normalizes policies: a list of one element may come back as a string, an account as the ARN
// of its root user, and statements in another order. None of these is a difference.
package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A Document is a policy in a normal form.
type Document struct {
	// Version and ID of the policy, empty if absent.
	Version, ID string

	// Statements in their original order.
	Statements []Statement
}

// A Statement is one of a policy. Its lists are sorted, without duplicates.
type Statement struct {
	// Sid is the ID of the statement, empty if absent.
	Sid string

	// Effect is Allow or Deny.
	Effect string

	// Principal and NotPrincipal map kinds to principals: AWS, Service, Federated or CanonicalUser.
	// Everybody is "*" of the kind AWS, an account its 12 digits.
	Principal, NotPrincipal map[string][]string

	// Action and NotAction are the actions that are meant, or all others.
	Action, NotAction []string

	// Resource and NotResource are the resources that are meant, or all others.
	Resource, NotResource []string

	// Condition is the condition of the statement.
	Condition Condition

	// Written is the statement as it was parsed. It is not compared.
	Written string
}

// A Condition has values by operator and key. Keys are in lower case.
type Condition map[string]map[string][]string

// raw is a statement as it is written.
type raw struct {
	Sid          string                      `json:"Sid"`
	Effect       string                      `json:"Effect"`
	Principal    principals                  `json:"Principal"`
	NotPrincipal principals                  `json:"NotPrincipal"`
	Action       texts                       `json:"Action"`
	NotAction    texts                       `json:"NotAction"`
	Resource     texts                       `json:"Resource"`
	NotResource  texts                       `json:"NotResource"`
	Condition    map[string]map[string]texts `json:"Condition"`
}

// Parse returns the Document of a policy that AWS returned, and accepts unknown elements. A policy
// that is empty, null or without statements has none. The error says what is wrong with the policy.
func Parse(text string) (Document, error) { return parse(text, false) }

// Check returns the Document of a policy that AWS has not seen yet. Unknown elements are an error.
func Check(text string) (Document, error) { return parse(text, true) }

func parse(text string, strict bool) (Document, error) {
	in := struct {
		Version   string          `json:"Version"`
		ID        string          `json:"Id"`
		Statement json.RawMessage `json:"Statement"`
	}{}
	if !strict && void(text) {
		return Document{}, nil
	}
	if err := decode([]byte(text), &in, strict); err != nil {
		return Document{}, err
	}
	var statements []json.RawMessage
	if !strict && void(string(in.Statement)) {
		in.Statement = nil
	}
	if err := decode(listed(in.Statement), &statements, strict); err != nil {
		return Document{}, fmt.Errorf("in its Statement, %w", err)
	}
	d := Document{Version: in.Version, ID: in.ID}
	for i, written := range statements {
		if !strict && void(string(written)) {
			continue
		}
		r := raw{}
		if err := decode(written, &r, strict); err != nil {
			return Document{}, fmt.Errorf("in statement %d, %w", i+1, err)
		}
		if strict && isBare(written) {
			return Document{}, fmt.Errorf("in statement %d, a principal that is not a JSON object must be \"*\"", i+1)
		}
		if r.Effect != allow && r.Effect != deny {
			return Document{}, fmt.Errorf("in statement %d, Effect is %.100q, not Allow or Deny", i+1, r.Effect)
		}
		st := r.statement()
		st.Written = Compact(string(written))
		d.Statements = append(d.Statements, st)
	}
	if strict && len(d.Statements) == 0 {
		return Document{}, errors.New("Statement is missing")
	}
	return d, nil
}

const (
	allow = "Allow"
	deny  = "Deny"
)

// void reports whether a text is empty or null.
func void(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "null", `""`:
		return true
	}
	return false
}

// decode decodes JSON with nothing after it.
func decode(text []byte, into any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(into); err != nil {
		return explain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text after the end")
	}
	return nil
}

// Compact returns a policy without white space between its parts. It returns a text that is not JSON as it is.
func Compact(text string) string {
	b := bytes.Buffer{}
	if err := json.Compact(&b, []byte(text)); err != nil {
		return text
	}
	return b.String()
}

func (r *raw) statement() Statement {
	st := Statement{
		Condition: Condition{}, Sid: r.Sid, Effect: r.Effect, Principal: r.Principal, NotPrincipal: r.NotPrincipal,
		Action: set(r.Action), NotAction: set(r.NotAction), Resource: set(r.Resource), NotResource: set(r.NotResource),
	}
	for operator, keys := range r.Condition {
		for key, values := range keys {
			st.Condition.add(operator, key, values)
		}
		for key, values := range st.Condition[operator] {
			st.Condition[operator][key] = set(values)
		}
	}
	return st
}

// add adds values, unsorted. Keys that differ only in case are the same key.
func (c Condition) add(operator, key string, values []string) {
	if c[operator] == nil {
		c[operator] = map[string][]string{}
	}
	key = strings.ToLower(key)
	c[operator][key] = append(c[operator][key], values...)
}

// move moves the only value of a key to a text that is still empty.
func (c Condition) move(operator, key string, to *string) {
	values := c[operator][key]
	if len(values) != 1 || *to != "" {
		return
	}
	*to = values[0]
	delete(c[operator], key)
	if len(c[operator]) == 0 {
		delete(c, operator)
	}
}

func (c Condition) clone() Condition {
	out := Condition{}
	for operator, keys := range c {
		out[operator] = maps.Clone(keys)
	}
	return out
}

// Find returns the statement with an ID, and false if there is none.
func (d Document) Find(sid string) (Statement, bool) {
	i := slices.IndexFunc(d.Statements, func(s Statement) bool { return s.Sid == sid })
	if i < 0 || sid == "" {
		return Statement{}, false
	}
	return d.Statements[i], true
}

// Text returns the statement as compact JSON, which is the same for equal statements.
func (s Statement) Text() string {
	out := map[string]any{}
	for name, value := range map[string]string{"Sid": s.Sid, "Effect": s.Effect} {
		if value != "" {
			out[name] = value
		}
	}
	for name, who := range map[string]map[string][]string{"Principal": s.Principal, "NotPrincipal": s.NotPrincipal} {
		if len(who) > 0 {
			out[name] = each(who)
		}
	}
	for name, list := range map[string][]string{
		"Action": s.Action, "NotAction": s.NotAction, "Resource": s.Resource,
		"NotResource": s.NotResource,
	} {
		if len(list) > 0 {
			out[name] = single(list)
		}
	}
	if len(s.Condition) > 0 {
		conditions := map[string]any{}
		for operator, keys := range s.Condition {
			conditions[operator] = each(keys)
		}
		out["Condition"] = conditions
	}
	return encode(out)
}

func each(lists map[string][]string) map[string]any {
	out := map[string]any{}
	for k, list := range lists {
		out[k] = single(list)
	}
	return out
}

func single(list []string) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func encode(v any) string {
	b := bytes.Buffer{}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) //nolint:errchkjson // Texts, lists and maps of them can be encoded.
	return strings.TrimSpace(b.String())
}

// canonical returns the statement as Text does, with what AWS reads regardless of case in lower case.
func (s Statement) canonical() string {
	s.Action, s.NotAction = lower(s.Action), lower(s.NotAction)
	return s.Text()
}

func lower(list []string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, strings.ToLower(v))
	}
	return set(out)
}

// IsUnresolved reports whether a statement names the ID of a role or user, by which AWS replaces an ARN that it cannot
// resolve.
func (s Statement) IsUnresolved() bool {
	return slices.ContainsFunc(s.Principal[kindAWS], principalID.MatchString)
}
