package awsdouble

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func putConcurrency(s *Server, r *request) any {
	in := decoded[types.Concurrency](r)
	t := r.target()
	h := r.home
	if h.functions[t.name] == nil {
		panic(notFound("Function not found: %s", h.arn("function:"+t.name+":$LATEST")))
	}
	f := s.unqualified(r)
	v := validation{}
	reserved := member{rules: []rule{notNull, lowest(0)}}
	var sent any
	if in.ReservedConcurrentExecutions != nil {
		sent = *in.ReservedConcurrentExecutions
	}
	reserved.check(&v, "reservedConcurrentExecutions", sent)
	v.reject()
	if n := f.provisions(""); n > *in.ReservedConcurrentExecutions {
		panic(invalidParameter(" ReservedConcurrentExecutions  %d should not be lower than function's total "+
			"provisioned concurrency [%d].", *in.ReservedConcurrentExecutions, n))
	}
	if h.reserved(f)+*in.ReservedConcurrentExecutions > h.limits.ConcurrentExecutions-h.limits.MinUnreserved {
		panic(invalidParameter("Specified ReservedConcurrentExecutions for function decreases account's "+
			"UnreservedConcurrentExecution below its minimum value of [%d].", h.limits.MinUnreserved))
	}
	f.concurrency = in.ReservedConcurrentExecutions
	return in
}

// reserved returns the concurrency of all functions but one that is reserved, or provisioned beyond a reservation.
func (h *home) reserved(but *function) int32 {
	total := int32(0)
	for _, f := range h.functions {
		switch {
		case f == but:
		case f.concurrency != nil:
			total += *f.concurrency
		default:
			total += f.provisions("")
		}
	}
	return total
}

// usable returns the concurrency that a function may use: its reservation, or what the other functions leave.
func (h *home) usable(f *function) int32 {
	if f.concurrency != nil {
		return *f.concurrency
	}
	return h.limits.ConcurrentExecutions - h.reserved(f)
}

func getConcurrency(s *Server, r *request) any {
	return types.Concurrency{ReservedConcurrentExecutions: s.unqualified(r).concurrency}
}

func deleteConcurrency(s *Server, r *request) any {
	f := s.unqualified(r)
	f.concurrency = nil
	return nil
}

func putRecursion(s *Server, r *request) any {
	in := decoded[struct{ RecursiveLoop string }](r)
	f := s.unqualified(r)
	f.recursiveLoop = in.RecursiveLoop
	return in
}

func getRecursion(s *Server, r *request) any {
	f := s.unqualified(r)
	return map[string]string{"RecursiveLoop": f.recursiveLoop}
}

func putScaling(s *Server, r *request) any {
	in := decoded[struct{ FunctionScalingConfig *types.FunctionScalingConfig }](r)
	f, i := s.qualified(r)
	if i.runsOn() == "" {
		panic(apiError(http.StatusForbidden, "AccessDeniedException",
			"The function provided by the arn does not contain a capacity provider configuration"))
	}
	delete(f.scaling, i.FunctionArn)
	if in.FunctionScalingConfig != nil {
		f.scaling[i.FunctionArn] = *in.FunctionScalingConfig
	}
	return map[string]string{"FunctionState": i.State}
}

func getScaling(s *Server, r *request) any {
	f, i := s.qualified(r)
	out := map[string]any{"FunctionArn": i.FunctionArn}
	if c, ok := f.scaling[i.FunctionArn]; ok {
		out["RequestedFunctionScalingConfig"], out["AppliedFunctionScalingConfig"] = c, c
	}
	return out
}

// RuntimeManagement configures when a version's runtime is updated.
type RuntimeManagement struct {
	FunctionArn       string
	RuntimeVersionArn *string
	UpdateRuntimeOn   string
}

func putRuntimeManagement(s *Server, r *request) any {
	in := decoded[RuntimeManagement](r)
	f, q := s.managedRuntime(r)
	manual := in.UpdateRuntimeOn == "Manual"
	switch {
	case manual && in.RuntimeVersionArn == nil:
		panic(invalidParameter("RuntimeVersionArn is required when UpdateRuntimeOn is Manual."))
	case !manual && in.RuntimeVersionArn != nil:
		panic(invalidParameter("RuntimeVersionArn can only be specified when UpdateRuntimeOn is Manual."))
	}
	in.FunctionArn = f.arnOf(q)
	f.runtimes[q] = in
	if manual && f.latest.RuntimeVersionConfig != nil && q == latestVersion {
		f.latest.RuntimeVersionConfig = &types.RuntimeVersionConfig{RuntimeVersionArn: in.RuntimeVersionArn}
	}
	return in
}

// managedRuntime returns the function and the version that a request names. It fails if the runtime is part of an
// image.
func (s *Server) managedRuntime(r *request) (*function, string) {
	f, t := s.find(r)
	i := s.pick(f, t, r)
	if f.latest.PackageType == "Image" {
		panic(invalidParameter("Lambda couldn't get a runtime management configuration because %s is a container "+
			"image function.", f.latest.FunctionName))
	}
	if i.State == statePending && r.operation == "PutRuntimeManagementConfig" {
		panic(notNow(i.State))
	}
	return f, latestBy(t)
}

func getRuntimeManagement(s *Server, r *request) any {
	f, q := s.managedRuntime(r)
	out, ok := f.runtimes[q]
	if !ok {
		out = RuntimeManagement{FunctionArn: f.arnOf(q), UpdateRuntimeOn: "Auto"}
	}
	return out
}

// latestBy returns the qualifier, by default $LATEST.
func latestBy(t target) string { return cmp.Or(t.qualifier, latestVersion) }

// eventInput reads a request's settings. It rejects a request without any before the function is looked up.
func eventInput(r *request) lambda.PutFunctionEventInvokeConfigInput {
	in := decoded[lambda.PutFunctionEventInvokeConfigInput](r)
	if in.DestinationConfig == nil && in.MaximumEventAgeInSeconds == nil && in.MaximumRetryAttempts == nil {
		panic(invalidParameter("You must specify at least one of error handling or destination setting."))
	}
	return in
}

// putEventInvoke replaces the configuration of asynchronous invocation. Responses always contain both destinations.
func putEventInvoke(s *Server, r *request) any {
	in := eventInput(r)
	t := r.target()
	f := r.invocable()
	s.checkDestinations(r.home, f, in.DestinationConfig)
	q := latestBy(t)
	e := &types.FunctionEventInvokeConfig{FunctionArn: aws.String(f.arnOf(q))}
	f.events[q] = e
	return s.setEventInvoke(e, &in)
}

func (s *Server) setEventInvoke(e *types.FunctionEventInvokeConfig, in *lambda.PutFunctionEventInvokeConfigInput) any {
	overlay(e, in)
	to := types.DestinationConfig{OnFailure: &types.OnFailure{}, OnSuccess: &types.OnSuccess{}}
	if e.DestinationConfig != nil {
		overlay(&to, e.DestinationConfig)
	}
	if to.OnFailure == nil {
		to.OnFailure = &types.OnFailure{}
	}
	if to.OnSuccess == nil {
		to.OnSuccess = &types.OnSuccess{}
	}
	e.DestinationConfig, e.LastModified = &to, aws.Time(s.options.Now())
	return *e
}

// invocable returns the function that a request names. It rejects a version that does not exist.
func (r *request) invocable() *function {
	t := r.target()
	f := r.home.functions[t.name]
	if f == nil || f.versionOf(t.qualifier) == nil {
		panic(notFound("The function doesn't exist."))
	}
	return f
}

// eventInvoke returns the function and the qualifier of the configuration that a request names.
func eventInvoke(r *request) (*function, string) {
	t := r.target()
	q := latestBy(t)
	f := r.home.functions[t.name]
	if f == nil || f.events[q] == nil {
		panic(notFound("The function %s doesn't have an EventInvokeConfig", r.home.arn("function:"+t.name+":"+q)))
	}
	return f, q
}

func updateEventInvoke(s *Server, r *request) any {
	in := eventInput(r)
	f, q := eventInvoke(r)
	s.checkDestinations(r.home, f, in.DestinationConfig)
	return s.setEventInvoke(f.events[q], &in)
}

func getEventInvoke(_ *Server, r *request) any {
	f, q := eventInvoke(r)
	return *f.events[q]
}

func deleteEventInvoke(_ *Server, r *request) any {
	f, q := eventInvoke(r)
	delete(f.events, q)
	return nil
}

func listEventInvokes(_ *Server, r *request) any {
	return listedBy("FunctionEventInvokeConfigs", r.invocable().events, r)
}

// listedBy returns a page of a function's configurations, in the order of their qualifiers.
func listedBy[T any](name string, by map[string]*T, r *request) any {
	all := []T{}
	for _, q := range slices.Sorted(maps.Keys(by)) {
		all = append(all, *by[q])
	}
	return paged(name, all, r)
}

// urlInput is the body of CreateFunctionUrlConfig and UpdateFunctionUrlConfig.
type urlInput lambda.CreateFunctionUrlConfigInput

// check rejects CORS settings without an origin. A block without any setting means none.
func (in *urlInput) check() {
	if c := in.Cors; c != nil && !blank(reflect.ValueOf(*c)) && len(c.AllowOrigins) == 0 {
		panic(invalidParameter("You can't leave AllowOrigins as empty when Cors is enabled."))
	}
}

// apply writes what was sent. CORS settings are replaced as a whole, and an empty block removes them.
func (in *urlInput) apply(to *types.FunctionUrlConfig) {
	if in.Cors != nil {
		to.Cors = nil
	}
	overlay(to, in)
	if c := to.Cors; c != nil && in.Cors != nil {
		c.AllowHeaders, c.ExposeHeaders = lower(c.AllowHeaders), lower(c.ExposeHeaders)
		if len(c.AllowMethods) == 0 {
			c.AllowMethods = nil
		}
	}
}

// lower returns names of headers in lower case, as AWS stores them.
func lower(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.ToLower(n))
	}
	return out
}

// modified returns the response to a change. It contains the invoke mode only if the request did.
func (in *urlInput) modified(u types.FunctionUrlConfig) any {
	u.InvokeMode = in.InvokeMode
	return u
}

func createURL(s *Server, r *request) any {
	in := decoded[urlInput](r)
	f, t := s.endpoint(r)
	in.check()
	arn := f.arnOf(t.qualifier)
	if f.urls[t.qualifier] != nil {
		panic(conflict("Failed to create function url config for [functionArn = %s]. Error message:  "+
			"FunctionUrlConfig exists for this Lambda function", arn))
	}
	now := s.isoTime()
	u := &types.FunctionUrlConfig{
		FunctionArn: &arn, InvokeMode: types.InvokeModeBuffered, CreationTime: &now, LastModifiedTime: &now,
		FunctionUrl: aws.String("https://" + strings.ReplaceAll(newUUID(), "-", "") + ".lambda-url." + r.region +
			".on.aws/"),
	}
	in.apply(u)
	f.urls[t.qualifier] = u
	out := *u
	out.LastModifiedTime = nil
	return in.modified(out)
}

// endpoint returns the function, and the alias of it, that may have a URL.
func (s *Server) endpoint(r *request) (*function, target) {
	t := r.target()
	f := r.home.functions[t.name]
	if f == nil || f.versionOf(t.qualifier) == nil {
		panic(notFound("Function does not exist"))
	}
	return f, t
}

// url returns the function that a request names, and the qualifier of its URL.
func (s *Server) url(r *request) (*function, string) {
	t := r.target()
	f := r.home.functions[t.name]
	if f == nil || f.urls[t.qualifier] == nil {
		panic(notFound("The resource you requested does not exist."))
	}
	return f, t.qualifier
}

func getURL(s *Server, r *request) any {
	f, q := s.url(r)
	return *f.urls[q]
}

func updateURL(s *Server, r *request) any {
	in := decoded[urlInput](r)
	s.endpoint(r)
	f, q := s.url(r)
	in.check()
	u := f.urls[q]
	in.apply(u)
	u.LastModifiedTime = aws.String(s.isoTime())
	if in.AuthType == "" && in.InvokeMode == "" && in.Cors == nil {
		in.InvokeMode = types.InvokeModeResponseStream // AWS answers this, whatever the mode is.
	}
	return in.modified(*u)
}

func deleteURL(s *Server, r *request) any {
	f, q := s.url(r)
	delete(f.urls, q)
	return nil
}

func listURLs(s *Server, r *request) any {
	f, _ := s.endpoint(r)
	return listedBy("FunctionUrlConfigs", f.urls, r)
}

func (s *Server) isoTime() string { return s.options.Now().UTC().Format("2006-01-02T15:04:05.000000Z") }
