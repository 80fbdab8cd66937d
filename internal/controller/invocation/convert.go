package invocation

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	fingerprints "github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The maximum lengths of texts in status, in bytes.
const (
	maxResult  = 16 << 10
	maxLogTail = 4 << 10
	maxMessage = 1 << 10
)

const defaultKey = "tf"

// event is the payload of an invocation.
type event struct {
	payload []byte

	// secret is true if the payload comes from a Secret.
	secret bool
}

// check returns an error if the payload can't be sent. AWS would quote the payload in its own error.
func (e event) check(p v1beta1.InvocationParameters) error {
	switch {
	case len(e.payload) == 0:
		return nil
	case !json.Valid(e.payload), !utf8.Valid(e.payload): // Go accepts texts in other encodings, and AWS does not.
		return reconcile.Invalid(errors.New("the payload is not valid JSON: put a plain text in quotes, and encode " +
			"it in UTF-8"))
	case inCRUD(p) && !bytes.HasPrefix(bytes.TrimSpace(e.payload), []byte("{")):
		return reconcile.Invalid(errors.New("the payload must be a JSON object with lifecycleScope CRUD, because the " +
			"action is added to it"))
	}
	return nil
}

// fingerprint returns the fingerprint of an invocation's input. For the content of a Secret
// it uses a slow hash, so that the content can't be found by brute force.
func fingerprint(uid string, p v1beta1.InvocationParameters, e event) (string, error) {
	b, err := identifying(p, e)
	if err != nil {
		return "", err
	}
	if e.secret {
		return hex.EncodeToString(fingerprints.Slow(b, "invocation "+uid, 100_000)), nil
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// identifying returns everything that distinguishes one input from another. Triggers and a payload that are empty are
// as none.
func identifying(p v1beta1.InvocationParameters, e event) ([]byte, error) {
	triggers, payload := p.Triggers, e.payload
	if len(triggers) == 0 {
		triggers = nil
	}
	if payload == nil {
		payload = []byte{}
	}
	return json.Marshal([]any{
		p.FunctionName, p.Qualifier, p.ClientContext, p.InvocationType, p.TenantID,
		p.DurableExecutionName, triggers, payload,
	})
}

// input returns the input of the call. before is the payload of the last invocation, or nil if it is not known.
func input(p v1beta1.InvocationParameters, e event, action string, before *string) (*lambda.InvokeInput, error) {
	payload := e.payload
	if inCRUD(p) {
		var err error
		if payload, err = withLifecycle(payload, ptr.Deref(p.TerraformKey, defaultKey), action, before); err != nil {
			return nil, err
		}
	}
	return &lambda.InvokeInput{
		FunctionName:         p.FunctionName,
		Qualifier:            p.Qualifier,
		Payload:              payload,
		InvocationType:       types.InvocationType(ptr.Deref(p.InvocationType, "")),
		LogType:              types.LogType(ptr.Deref(p.LogType, "")),
		ClientContext:        p.ClientContext,
		TenantId:             p.TenantID,
		DurableExecutionName: p.DurableExecutionName,
	}, nil
}

// withLifecycle returns a payload with the action added, in the form of Terraform's AWS provider.
func withLifecycle(payload []byte, key, action string, before *string) ([]byte, error) {
	object := map[string]json.RawMessage{}
	if len(payload) > 0 {
		if err := json.Unmarshal(payload, &object); err != nil {
			return nil, errors.New("the payload is not a JSON object")
		}
	}
	lifecycle := struct {
		Action    string          `json:"action"`
		PrevInput json.RawMessage `json:"prev_input"`
	}{Action: action, PrevInput: json.RawMessage("null")}
	if before != nil {
		lifecycle.PrevInput = json.RawMessage(*before)
	}
	b, err := json.Marshal(lifecycle)
	if err != nil {
		return nil, err
	}
	object[key] = b
	return json.Marshal(object)
}

// outcome returns the outcome of a call that AWS has answered.
func outcome(out *lambda.InvokeOutput) string {
	if out.FunctionError != nil {
		return functionError
	}
	return succeeded
}

// show sets status.atProvider to the result of a call. The answer is nil if there was none.
func show(i *v1beta1.Invocation, r record, e event, out *lambda.InvokeOutput) {
	p, before := i.Spec.ForProvider, i.Status.AtProvider.Payload
	o := v1beta1.InvocationObservation{FunctionName: p.FunctionName, Qualifier: p.Qualifier, Payload: before}
	if out != nil {
		hides := hide(e)
		o.StatusCode, o.ExecutedVersion, o.DurableExecutionArn = ptr.To(out.StatusCode), out.ExecutedVersion,
			out.DurableExecutionArn
		if out.FunctionError != nil {
			o.FunctionError = out.FunctionError
			o.FunctionErrorMessage = ptr.To(cut(hides.Replace(message(out.Payload)), maxMessage))
		}
		if ptr.Deref(p.RecordResult, false) && out.FunctionError == nil {
			o.Result, o.ResultTruncated = ptr.To(cut(hides.Replace(string(out.Payload)), maxResult)),
				ptr.To(len(out.Payload) > maxResult)
		}
		if tail, err := base64.StdEncoding.DecodeString(ptr.Deref(out.LogResult, "")); err == nil && len(tail) > 0 {
			o.LogTail = ptr.To(last(hideTail(e, string(tail)), maxLogTail))
		}
	}
	if r.Outcome == succeeded {
		o.Payload = previous(p)
	}
	i.Status.AtProvider = o
	stamp(i, r)
}

// previous returns the payload to pass to the invocation after one that has succeeded, nil if there is none to pass.
func previous(p v1beta1.InvocationParameters) *string {
	if !inCRUD(p) {
		return nil
	}
	return p.Payload
}

// stamp copies a record to status.
func stamp(i *v1beta1.Invocation, r record) {
	o := &i.Status.AtProvider
	o.InputHash, o.Action, o.Outcome, o.Attempts, o.Calls, o.LastInvokedTime = &r.Input, &r.Action, &r.Outcome,
		&r.Attempts, &r.Serial, &r.At
}

// message returns the type and message of a function's error.
func message(payload []byte) string {
	e := struct {
		Type string `json:"errorType"`
		Text string `json:"errorMessage"`
	}{}
	if json.Unmarshal(payload, &e) != nil || e.Text == "" {
		return string(payload)
	}
	return strings.TrimPrefix(e.Type+": "+e.Text, ": ")
}

// shortest is the length of the shortest text that is redacted. Shorter ones occur in every text.
const shortest = 4

// hide returns a replacer that redacts the content of a Secret, which the function may have
// included in its result or log.
func hide(e event) *strings.Replacer {
	var pairs []string
	for _, s := range hidden(e) {
		pairs = append(pairs, s, diff.Redacted)
	}
	return strings.NewReplacer(pairs...)
}

// hideTail redacts the content of a Secret in the end of a log, which may begin within a text of it.
func hideTail(e event, tail string) string {
	begun := 0
	for _, s := range hidden(e) {
		for n := min(len(s), len(tail)); n >= shortest && n > begun; n-- {
			if strings.HasPrefix(tail, s[len(s)-n:]) {
				begun = n
			}
		}
	}
	rest := hide(e).Replace(tail[begun:])
	if begun > 0 {
		return diff.Redacted + rest
	}
	return rest
}

// hidden returns the texts of the content of a Secret, the longest first.
func hidden(e event) []string {
	if !e.secret {
		return nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(e.payload))
	d.UseNumber()
	_ = d.Decode(&v) // Invalid JSON was not sent.
	var all []string
	for _, s := range append(texts(v, nil), string(e.payload)) {
		if len(s) < shortest {
			continue
		}
		for _, once := range slices.Compact(encodings(s)) {
			all = append(all, encodings(once)...) // JSON within JSON, such as a body for API Gateway or a log in JSON.
		}
	}
	// A text may begin with another one, of which the replacer would then replace only that part.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// encodings returns a text as it is, and as encoders of JSON write it, which escape more or fewer characters.
func encodings(s string) []string {
	var plain, html, ascii bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) //nolint:errchkjson // A text always becomes JSON.
	quoted := bytes.TrimSpace(plain.Bytes())
	quoted = quoted[1 : len(quoted)-1]
	json.HTMLEscape(&html, quoted)
	for _, r := range string(quoted) {
		if r < utf8.RuneSelf {
			ascii.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&ascii, `\u%04x`, u)
		}
	}
	return []string{s, string(quoted), html.String(), ascii.String()}
}

// texts appends the strings and numbers in a JSON value to found.
func texts(v any, found []string) []string {
	switch v := v.(type) {
	case string:
		return append(found, v)
	case json.Number:
		return append(found, v.String())
	case []any:
		for _, e := range v {
			found = texts(e, found)
		}
	case map[string]any:
		for _, e := range v {
			found = texts(e, found)
		}
	}
	return found
}

// cut truncates a text to n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// last returns the last n bytes of a text without splitting a character.
func last(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
