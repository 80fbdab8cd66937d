package awsdouble

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/traits"
	"github.com/google/go-cmp/cmp"
)

// TestRequiredMembers compares the members that an operation requires with those that the SDK does.
func TestRequiredMembers(t *testing.T) {
	client := lambda.NewFromConfig(aws.Config{Region: testRegion})
	for _, route := range lambdaRoutes {
		call := reflect.ValueOf(client).MethodByName(route.operation)
		out := call.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.New(call.Type().In(1).Elem())})
		want, got := map[string]bool{}, map[string]bool{}
		err, _ := out[1].Interface().(error)
		if invalid, ok := errors.AsType[smithy.InvalidParamsError](err); ok {
			for _, e := range invalid.Errs() {
				if e, ok := errors.AsType[smithy.InvalidParamError](e); ok {
					want[e.Field()[strings.LastIndex(e.Field(), ".")+1:]] = true
				}
			}
		}
		for name, in := range route.input.Members() {
			if _, inPath := smithy.SchemaTrait[*traits.HTTPLabel](in); inPath {
				got[name] = true
			}
		}
		for _, m := range route.members {
			required := slices.ContainsFunc(m.rules, func(r rule) bool { return r.text == notNull.text })
			if required && !strings.Contains(m.path, ".") {
				got[wire(m.path)] = true
			}
		}
		if route.operation == "PutFunctionConcurrency" { // It was recorded that the function is looked up before.
			got["ReservedConcurrentExecutions"] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: required by the SDK, by the double:\n%s", route.operation, diff)
		}
	}
}

// TestEnums compares the values of enums with those of the SDK.
func TestEnums(t *testing.T) {
	unchecked := []string{ // Handlers look at them.
		"CreateFunction runtime", "UpdateFunctionConfiguration runtime", "ListDurableExecutionsByFunction statuses",
	}
	for _, route := range lambdaRoutes {
		call, _ := reflect.TypeFor[*lambda.Client]().MethodByName(route.operation)
		want, got := map[string][]string{}, map[string][]string{}
		collectEnums(call.Type.In(2), "", want)
		for _, m := range route.members {
			for _, r := range slices.Concat(m.rules, m.each) {
				values, isEnum := strings.CutPrefix(r.text, "Member must satisfy enum value set: [")
				if isEnum && want[m.path] != nil {
					got[m.path] = strings.Split(strings.TrimSuffix(values, "]"), ", ")
					slices.Sort(got[m.path])
				}
			}
		}
		for path := range want {
			if slices.Contains(unchecked, route.operation+" "+path) {
				delete(want, path)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: values of the SDK, of the double:\n%s", route.operation, diff)
		}
	}
}

// collectEnums adds the sorted values of the enums in a type, by their paths.
func collectEnums(in reflect.Type, at string, to map[string][]string) {
	for in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice {
		if in.Kind() == reflect.Slice && in.Elem().Kind() == reflect.Struct {
			at += "[]"
		}
		in = in.Elem()
	}
	if values := reflect.Zero(in).MethodByName("Values"); values.IsValid() {
		for _, v := range values.Call(nil)[0].Seq2() {
			to[at] = append(to[at], v.String())
		}
		slices.Sort(to[at])
	}
	if in.Kind() != reflect.Struct {
		return
	}
	for f := range in.Fields() {
		if f.IsExported() {
			name := strings.ToLower(f.Name[:1]) + f.Name[1:]
			collectEnums(f.Type, strings.TrimPrefix(at+"."+name, "."), to)
		}
	}
}
