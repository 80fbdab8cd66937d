package awsdouble

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

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
