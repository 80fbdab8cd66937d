package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

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
