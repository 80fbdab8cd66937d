package awsdouble

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// A Function is a function's state. Tests can read and edit it.
type Function struct {
	// Configuration is the configuration of $LATEST.
	Configuration
	// Tags are the function's tags.
	Tags map[string]string
	// ReservedConcurrentExecutions is nil if none is reserved.
	ReservedConcurrentExecutions *int32
	// CodeSigningConfigArn is empty if no configuration is attached.
	CodeSigningConfigArn string
	// RecursiveLoop is Allow or Terminate.
	RecursiveLoop string
}

// instance is $LATEST or a published version. Each completes on its own.
type instance struct {
	Configuration
	code       types.FunctionCodeLocation
	unzipped   uint64
	completeAt time.Time
	busy       bool
	// ready is the time at which the state Pending ended last.
	ready time.Time
	// completed is the revision after the update.
	completed string
	failure   *failure
}

// function is a function with its versions.
type function struct {
	latest   *instance
	versions []*instance
	next     int
	aliases  map[string]*Alias
	// routed is the part of an invocation that the additional version of an alias is due, by alias.
	routed map[string]float64
	// published is the number of the version that equals $LATEST, or "".
	published string
	// latestPublished is the version $LATEST.PUBLISHED, once it was published, and republished says that it equals
	// $LATEST.
	latestPublished *instance
	republished     bool

	concurrency   *int32
	codeSigning   string
	recursiveLoop string
	scaling       map[string]types.FunctionScalingConfig
	// executions are the durable executions by name, and goneAt is the time at which a function that waits for them is
	// deleted.
	executions map[string]execution
	goneAt     time.Time
	configs
}

// home is the state of one account and region.
type home struct {
	account, region string
	limits          Limits
	functions       map[string]*function
	signing         map[string]*types.CodeSigningConfig
	layers          map[string]*layer
	mappings        map[string]*mapping
	capacity        map[string]*capacity
	// tags are by the ARN of the resource, and policies by that of the function, version, alias or layer version. They
	// are replaced and not changed.
	tags     map[string]map[string]string
	policies map[string]*policy
	// draining says that the deletion of functions waits for their executions.
	draining bool
	// storedAtMost is an upper bound of what stored returns.
	storedAtMost int64
	// next are the numbers of the next versions of functions that were deleted.
	next map[string]int
	// sorted has the names of all functions, or is nil if they have changed since it was used.
	sorted []string
}

// names returns the sorted names of all functions. They are sorted once for all pages of a list.
func (h *home) names() []string {
	if h.sorted == nil {
		h.sorted = slices.Sorted(maps.Keys(h.functions))
	}
	return h.sorted
}

// drop removes a function.
func (h *home) drop(name string) {
	h.next[name] = h.functions[name].next
	delete(h.functions, name)
	arn := h.arn("function:" + name)
	delete(h.tags, arn)
	delete(h.policies, arn)
	maps.DeleteFunc(h.policies, func(on string, _ *policy) bool { return strings.HasPrefix(on, arn+":") })
	h.sorted = nil
}

func (s *Server) home(account, region string) *home {
	key := account + "/" + region
	if s.homes[key] == nil {
		s.homes[key] = s.newHome(account, region)
	}
	s.purge(s.homes[key])
	return s.homes[key]
}

func (s *Server) newHome(account, region string) *home {
	return &home{
		account: account, region: region, limits: s.options.Limits.orDefaults(), functions: map[string]*function{},
		signing: map[string]*types.CodeSigningConfig{},
		layers:  map[string]*layer{}, mappings: map[string]*mapping{}, capacity: map[string]*capacity{},
		tags: map[string]map[string]string{}, policies: map[string]*policy{},
		next: map[string]int{},
	}
}

// tagsOf returns a copy of the tags of a resource.
func (h *home) tagsOf(arn string) map[string]string {
	tags := map[string]string{}
	maps.Copy(tags, h.tags[arn])
	return tags
}

func (h *home) arn(resource string) string {
	return fmt.Sprintf("arn:%s:lambda:%s:%s:%s", partition(h.region), h.region, h.account, resource)
}

func partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}

// begin makes an instance busy until a duration has passed.
func (s *Server) begin(i *instance, d time.Duration, f *failure) {
	i.completeAt, i.busy, i.failure = s.options.Now().Add(d), true, f
	i.RevisionId, i.completed = newUUID(), newUUID()
}

// complete completes an instance's update once its time has passed.
func (s *Server) complete(i *instance) {
	if !i.busy || s.options.Now().Before(i.completeAt) {
		return
	}
	i.busy, i.RevisionId = false, i.completed
	failed := i.failure
	i.failure = nil
	if i.State == statePending {
		bad := "Failed"
		if i.StateReasonCode == "Restoring" {
			bad = stateInactive
		}
		i.State, i.StateReason, i.StateReasonCode, i.ready = i.good(), "", "", i.completeAt
		i.LastUpdateStatus = "Successful"
		if failed != nil {
			i.State, i.StateReason, i.StateReasonCode = bad, failed.reason, failed.code
			i.LastUpdateStatus = ""
		}
		return
	}
	i.LastUpdateStatus, i.LastUpdateStatusReason, i.LastUpdateStatusReasonCode = "Successful", "", ""
	if failed != nil {
		i.LastUpdateStatus = "Failed"
		i.LastUpdateStatusReason, i.LastUpdateStatusReasonCode = failed.reason, failed.code
	}
}

func (s *Server) completeAll(f *function) {
	if f.moves(s.options.Now()) || slices.ContainsFunc(f.versions, (*instance).inactive) {
		s.advanceTraffic() // It is routed as before the move, and restores versions.
	}
	s.complete(f.latest)
	if f.latestPublished != nil {
		s.complete(f.latestPublished)
	}
	for _, v := range f.versions {
		s.complete(v)
	}
	s.completeProvisioned(f, s.options.Now())
}

// startUpdate marks $LATEST as being updated.
func (s *Server) startUpdate(f *function) {
	l := f.latest
	l.State, l.StateReason, l.StateReasonCode = l.good(), "", ""
	l.LastUpdateStatus, l.LastUpdateStatusReason, l.LastUpdateStatusReasonCode = "InProgress",
		"The function is being created.", "Creating"
	l.LastModified = s.lastModified()
	f.published, f.republished = "", false
	s.begin(l, s.options.UpdateDuration, s.take(update, l.FunctionName))
}

// updatable returns AWS's error for a change of $LATEST in its current state.
func updatable(f *function) {
	switch {
	case f.latest.busy:
		panic(inProgress(f.latest.FunctionArn))
	case f.latest.State == "Failed", f.latest.State == stateDeleting:
		panic(notNow(f.latest.State))
	}
}

func inProgress(arn string) *Error {
	return conflict("The operation cannot be performed at this time. An update is in progress for resource: %s", arn)
}

func checkRevision(f *function, revision *string) {
	if aws.ToString(revision) != "" && *revision != f.latest.RevisionId {
		panic(staleRevision("GetFunction/GetAlias"))
	}
}

func (s *Server) lastModified() string {
	return s.options.Now().UTC().Format("2006-01-02T15:04:05.000-0700")
}

// Function returns a copy of a function by name or ARN.
func (s *Server) Function(name string) (Function, bool) {
	defer s.lock()()
	f := s.lookup(name)
	if f == nil {
		return Function{}, false
	}
	s.completeAll(f)
	return s.snapshot(f), true
}

// EditFunction changes a function as an out-of-band update does, at once. It has a new RevisionId then, unless it only
// changes what ListFunctions does not show: it is not documented whether that changes the RevisionId. The name may be
// an ARN; a plain name must exist in only one account and region. It reports whether the function exists.
func (s *Server) EditFunction(name string, edit func(*Function)) bool {
	defer s.editing()()
	f := s.lookup(name)
	if f == nil {
		return false
	}
	s.completeAll(f)
	c, before := s.snapshot(f), f.latest.Configuration
	edit(&c)
	f.latest.Configuration, f.concurrency = c.Configuration, c.ReservedConcurrentExecutions
	s.homeOf(f.latest.FunctionArn).tags[f.latest.FunctionArn] = c.Tags
	f.codeSigning, f.recursiveLoop = c.CodeSigningConfigArn, c.RecursiveLoop
	if !reflect.DeepEqual(listed(before), listed(f.latest.Configuration)) {
		f.latest.RevisionId, f.published, f.republished = newUUID(), "", false
	}
	return true
}

// SetVersionInactive makes a version of a function, or its $LATEST, Inactive, as after weeks without invocations. It
// reports whether the version exists.
func (s *Server) SetVersionInactive(name, version string) bool {
	defer s.editing()()
	f := s.lookup(name)
	if f == nil || f.versionOf(version) == nil {
		return false
	}
	s.completeAll(f)
	v := f.versionOf(version)
	v.State, v.StateReason, v.StateReasonCode = stateInactive, "The function is idle.", "Idle"
	return true
}

// homeOf returns the state of the account and region of a resource.
func (s *Server) homeOf(arn string) *home {
	parts := strings.SplitN(arn, ":", 6)
	return s.home(parts[4], parts[3])
}

func (s *Server) snapshot(f *function) Function {
	c := f.latest.Configuration
	if c.Environment != nil {
		c.Environment = &types.EnvironmentResponse{Variables: maps.Clone(c.Environment.Variables)}
	}
	return Function{
		Configuration: c, Tags: s.homeOf(c.FunctionArn).tagsOf(c.FunctionArn),
		ReservedConcurrentExecutions: f.concurrency,
		CodeSigningConfigArn:         f.codeSigning, RecursiveLoop: f.recursiveLoop,
	}
}

// lookup returns a function by name or ARN from all accounts and regions, or nil.
func (s *Server) lookup(name string) *function {
	plain := name[strings.LastIndex(name, ":")+1:]
	for _, h := range s.homes {
		s.purge(h)
		if f := h.functions[plain]; f != nil && (plain == name || f.latest.FunctionArn == name) {
			return f
		}
	}
	return nil
}

func newUUID() string { return string(uuid.NewUUID()) }
