package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// The kinds of what a run makes. All else is part of one of them, and deleted with it.
const (
	kindFunction  = "Function"
	kindLayer     = "Layer"
	kindMapping   = "EventSourceMapping"
	kindSigning   = "CodeSigningConfig"
	kindCapacity  = "CapacityProvider"
	kindQueue     = "Queue"
	kindRole      = "Role"
	serviceLambda = "lambda"
)

// call is a request to AWS.
type call struct {
	service, operation  string
	method, path, query string
	vars                map[string]string
	body                []byte
	// invocation is the type of an Invoke.
	invocation string
}

// newCall reads a request. It fails if the double does not know the operation, and so neither what it changes.
func newCall(r *http.Request) (*call, error) {
	service, operation, vars := awsdouble.Operation(r)
	if operation == "" {
		return nil, fmt.Errorf("%s %s is a call that no scenario makes", r.Method, r.URL.Path)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read a request to AWS: %w", err)
	}
	return &call{
		service: service, operation: operation, vars: vars, body: body,
		method: r.Method, path: r.URL.EscapedPath(), query: r.URL.RawQuery,
		invocation: r.Header.Get("X-Amz-Invocation-Type"),
	}, nil
}

// reads matches operations that change nothing. Drift events are read by deleting them, from a queue that the user
// gives.
var reads = regexp.MustCompile(`^(Get|List|Head|Describe|BatchGet|Assume|ReceiveMessage|DeleteMessage)`)

// changes reports whether the call may change something.
func (c *call) changes() bool { return !reads.MatchString(c.operation) }

// weight returns how many calls may not be made meanwhile.
func (c *call) weight() int64 {
	if c.changes() {
		return manyCalls
	}
	return 1
}

// names are the members of bodies, and the parameters of IAM, that name what a call changes.
type names struct {
	FunctionName, CapacityProviderName, QueueName, Queue string
	Tags                                                 map[string]string
}

func (c *call) names() names {
	n := struct {
		names

		URL string `json:"QueueUrl"`
	}{}
	_ = json.Unmarshal(c.body, &n) // Without a body, the path names it.
	n.Queue = n.QueueName
	if n.URL != "" {
		n.Queue = n.URL[strings.LastIndex(n.URL, "/")+1:]
	}
	return n.names
}

// form returns a parameter of the query protocol.
func (c *call) form(name string) string {
	v, _ := url.ParseQuery(string(c.body))
	return v.Get(name)
}

// makes returns what the call is about to make, by names that the run gives.
func (c *call) makes() []Made {
	n := c.names()
	switch c.operation {
	case "CreateFunction":
		return []Made{{kindFunction, baseName(n.FunctionName)}}
	case "PublishLayerVersion":
		return []Made{{kindLayer, baseName(c.vars["LayerName"])}}
	case "CreateCapacityProvider":
		return []Made{{kindCapacity, n.CapacityProviderName}}
	case "CreateQueue":
		return []Made{{kindQueue, n.Queue}}
	case "CreateRole":
		return []Made{{kindRole, c.form("RoleName")}}
	}
	return nil
}

// answered returns what the call has made, by names that AWS gives.
func (c *call) answered(status int, answer []byte) []Made {
	if status >= http.StatusMultipleChoices {
		return nil
	}
	out := struct {
		UUID              string `json:"UUID"`
		CodeSigningConfig struct {
			CodeSigningConfigArn string `json:"CodeSigningConfigArn"`
		} `json:"CodeSigningConfig"`
	}{}
	switch _ = json.Unmarshal(bytes.TrimSpace(answer), &out); {
	case c.operation == "CreateEventSourceMapping" && out.UUID != "":
		return []Made{{kindMapping, out.UUID}}
	case c.operation == "CreateCodeSigningConfig" && out.CodeSigningConfig.CodeSigningConfigArn != "":
		return []Made{{kindSigning, out.CodeSigningConfig.CodeSigningConfigArn}}
	}
	return nil
}

// permitted returns an error if the call would change what the run did not make.
func (c *call) permitted(s *State) error {
	if !c.changes() {
		return nil
	}
	subject := c.subject()
	switch {
	case c.operation == "CreateCodeSigningConfig" && c.names().Tags[TagKey] == s.Run.ID:
		return nil
	case strings.HasPrefix(baseName(subject), s.Run.Prefix()):
		return nil
	}
	known := append(s.Made(kindMapping), s.Made(kindSigning)...)
	if subject != "" && slices.ContainsFunc(known, func(k string) bool { return strings.HasSuffix(subject, k) }) {
		return nil
	}
	return fmt.Errorf("%s of %q, which this run did not make", c.operation, subject)
}

// subject returns the name or the ARN of what the call changes.
func (c *call) subject() string {
	n := c.names()
	for _, v := range []string{
		c.vars["FunctionName"], c.vars["LayerName"], c.vars["Resource"], c.vars["ResourceArn"], c.vars["UUID"],
		c.vars["CodeSigningConfigArn"], c.vars["CapacityProviderName"], n.FunctionName, n.CapacityProviderName, n.Queue,
	} {
		if v != "" {
			return v
		}
	}
	if c.service == "iam" {
		return c.form("RoleName")
	}
	return ""
}

// beforeName matches the part of an ARN before a name.
var beforeName = regexp.MustCompile(`^.*:?(?:function|layer|capacity-provider):`)

// baseName returns the name in a name or an ARN, without a qualifier or a version.
func baseName(nameOrARN string) string {
	name, _, _ := strings.Cut(beforeName.ReplaceAllString(nameOrARN, ""), ":")
	return name
}

// check makes the call, and compares what Lambda answers with what is wanted.
func (c *Call) check(ctx context.Context, s *steps) error {
	got, err := callLambda(ctx, s.lambda, c.Operation, c.Input)
	switch {
	case c.Error != "" && awserr.Code(err) == c.Error:
		return nil
	case c.Error != "" && err == nil:
		return fmt.Errorf("%s succeeds, and should answer the error %s", c.Operation, c.Error)
	case err != nil:
		return fmt.Errorf("%s: %w", c.Operation, err)
	}
	for _, k := range slices.Sorted(maps.Keys(c.Want)) {
		if v := member(got, k); fmt.Sprint(v) != fmt.Sprint(c.Want[k]) {
			return fmt.Errorf("%s answers %s %v, not %v", c.Operation, k, v, c.Want[k])
		}
	}
	for name, path := range c.Save {
		v, ok := member(got, path).(string)
		if !ok {
			return fmt.Errorf("%s answers no text as %s", c.Operation, path)
		}
		s.saved[name] = v
	}
	return nil
}

// member returns a member of a value by its path, such as Configuration.MemorySize, nil if it is not set.
func member(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// callLambda calls an operation of Lambda by its name, with the members of its input. It returns the members of the
// output.
func callLambda(ctx context.Context, c *lambda.Client, operation string, members map[string]any) (any, error) {
	m := reflect.ValueOf(c).MethodByName(operation)
	if !m.IsValid() {
		return nil, fmt.Errorf("lambda has no operation %s", operation)
	}
	in := reflect.New(m.Type().In(1).Elem())
	b, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, in.Interface()); err != nil {
		return nil, fmt.Errorf("cannot read the input of %s: %w", operation, err)
	}
	out := m.Call([]reflect.Value{reflect.ValueOf(ctx), in})
	if err, failed := out[1].Interface().(error); failed {
		return nil, err
	}
	var v any
	if b, err = json.Marshal(out[0].Interface()); err == nil {
		err = json.Unmarshal(b, &v)
	}
	return v, err
}
