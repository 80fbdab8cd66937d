package awsdouble

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// execution is a durable execution.
type execution struct {
	payload, arn string
	started      time.Time
	stopped      bool
	// ends is the time at which it ends.
	ends time.Time
}

// defaultRetention is the number of days for which the history of executions is kept.
const defaultRetention = 14

// checkDurable refuses to make an existing function durable, and rejects a durable one without a timeout. The
// previous configuration is empty for a function that is created.
func (c *settings) checkDurable(was *Configuration) {
	if c.DurableConfig == nil {
		return
	}
	switch {
	case was.FunctionArn != "" && was.DurableConfig == nil:
		panic(invalidParameter("You cannot add a durable configuration to a function that was originally created " +
			"with no durable configuration"))
	case was.FunctionArn == "" && c.DurableConfig.ExecutionTimeout == nil:
		panic(invalidParameter("You cannot create a function with a durable configuration without an executionTimeout"))
	}
}

// durableFrom returns a DurableConfig with what was sent merged into the previous one.
func durableFrom(was, sent *types.DurableConfig) *types.DurableConfig {
	c := types.DurableConfig{RetentionPeriodInDays: aws.Int32(defaultRetention)}
	if was != nil {
		c = *was
	}
	overlay(&c, sent)
	c.KMSKeyArn = some(c.KMSKeyArn)
	return &c
}

// drains returns when the last durable execution of a function ends.
func (f *function) drains() time.Time {
	last := time.Time{}
	for _, e := range f.executions {
		if e.ends.After(last) {
			last = e.ends
		}
	}
	return last
}

// deleting deletes a function: at once or, while durable executions run, when they end. Until then it can be read,
// but neither changed nor invoked.
func (s *Server) deleting(h *home, name string) any {
	f := h.functions[name]
	until := f.drains()
	if !s.options.Now().Before(until) {
		h.drop(name)
		return nil
	}
	f.goneAt, h.draining = until, true
	for _, i := range append([]*instance{f.latest}, f.versions...) {
		i.busy = false
		i.State, i.StateReason, i.StateReasonCode = stateDeleting, "The function is being deleted.",
			"DrainingDurableExecutions"
	}
	return &answer{status: http.StatusAccepted}
}

// notNow returns the error of an operation that AWS does not allow in a version's state.
func notNow(state string) error {
	return conflict("The operation cannot be performed at this time. The function is currently in the following "+
		"state: %s", state)
}

const (
	// statePending and stateDeleting are the states in which a function is neither changed nor deleted.
	statePending  = "Pending"
	stateDeleting = "Deleting"

	stateActive   = "Active"
	stateInactive = "Inactive"
)

// purge removes the functions whose deletion has completed.
func (s *Server) purge(h *home) {
	if !h.draining {
		return
	}
	for name, f := range h.functions {
		if !f.goneAt.IsZero() && !s.options.Now().Before(f.goneAt) {
			h.drop(name)
		}
	}
}

// status returns the status of an execution. Executions that end by themselves succeed.
func (e execution) status(now time.Time) string {
	switch {
	case e.stopped:
		return "STOPPED"
	case now.Before(e.ends):
		return "RUNNING"
	}
	return "SUCCEEDED"
}

// describe returns an execution as AWS lists it.
func (e execution) describe(f *function, name string, now time.Time) map[string]any {
	out := map[string]any{
		"DurableExecutionArn": e.arn, "DurableExecutionName": name, "FunctionArn": f.latest.FunctionArn,
		"StartTimestamp": e.started.Unix(), "Status": e.status(now),
	}
	if out["Status"] != "RUNNING" {
		out["EndTimestamp"] = e.ends.Unix()
	}
	return out
}

// listExecutions lists the durable executions of a function on one page, the latest first.
func listExecutions(s *Server, r *request) any {
	f, _ := s.find(r)
	q, all := r.http.URL.Query(), []map[string]any{}
	latest := func(a, b string) int {
		return cmp.Or(f.executions[b].started.Compare(f.executions[a].started), cmp.Compare(a, b))
	}
	for _, name := range slices.SortedFunc(maps.Keys(f.executions), latest) {
		e := f.executions[name]
		d := e.describe(f, name, s.options.Now())
		status, _ := d["Status"].(string)
		if n := q.Get("DurableExecutionName"); n != "" && n != name || q.Has("Statuses") &&
			!slices.Contains(q["Statuses"], status) {
			continue
		}
		all = append(all, d)
	}
	return map[string]any{"DurableExecutions": all}
}

// execution returns the execution of an ARN, with its name and function.
func (s *Server) execution(r *request) (*function, string) {
	for _, f := range r.home.functions {
		for name, e := range f.executions {
			if e.arn == r.vars["DurableExecutionArn"] {
				return f, name
			}
		}
	}
	panic(notFound("Durable execution not found: %s", r.vars["DurableExecutionArn"]))
}

func getExecution(s *Server, r *request) any {
	f, name := s.execution(r)
	e := f.executions[name]
	out := e.describe(f, name, s.options.Now())
	if r.query("IncludeExecutionData") != "false" {
		out["InputPayload"] = e.payload
	}
	return out
}

func stopExecution(s *Server, r *request) any {
	f, name := s.execution(r)
	e, now := f.executions[name], s.options.Now()
	if e.status(now) == "RUNNING" {
		e.stopped, e.ends = true, now
		f.executions[name] = e
	}
	return map[string]any{"StopTimestamp": now.Unix()}
}
