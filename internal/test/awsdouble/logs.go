package awsdouble

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxLogGroups is the number of log groups in a page.
const maxLogGroups = 50

// maxLogPage is the number of events in a page. AWS's have up to 10,000.
const maxLogPage = 100

// logsTargets are CloudWatch Logs' operations (JSON 1.1), by the end of X-Amz-Target.
var logsTargets = map[string]handler{
	"DescribeLogGroups": describeLogGroups, "FilterLogEvents": filterLogEvents,
	"PutRetentionPolicy": putRetentionPolicy,
}

// logEvent is an event of a log group.
type logEvent struct {
	id, stream, message string
	at                  int64
}

// keptLog is the number of events that a log group keeps: the last ones.
const keptLog = 1000

// PutLog writes an event to a log group of DefaultAccount, which is created if it does not exist.
func (s *Server) PutLog(region, group, stream, message string, at time.Time) {
	defer s.lock()()
	s.putLog(DefaultAccount+"/"+region+"/"+group, stream, at, message)
}

func (s *Server) putLog(key, stream string, at time.Time, messages ...string) {
	all := s.logs[key]
	for _, m := range messages {
		all = append(all, logEvent{id: newUUID(), stream: stream, message: m, at: at.UnixMilli()})
	}
	slices.SortStableFunc(all, func(a, b logEvent) int { return int(a.at - b.at) })
	s.logs[key] = slices.Delete(all, 0, max(0, len(all)-keptLog))
}

// logInvocation writes what Lambda logs of an invocation: the lines of the code between those of the platform.
func (s *Server) logInvocation(r *request, i instance, out Returned) {
	group, now := "/aws/lambda/"+i.FunctionName, s.options.Now()
	if i.LoggingConfig != nil && i.LoggingConfig.LogGroup != nil {
		group = *i.LoggingConfig.LogGroup
	}
	id, ms := newUUID(), max(1, out.Delay.Milliseconds())
	lines := []string{"START RequestId: " + id + " Version: " + i.Version + "\n"}
	if i.LoggingConfig != nil && i.LoggingConfig.LogFormat == "JSON" {
		lines[0] = platformEvent(now, "start", map[string]any{"requestId": id, "version": i.Version})
	}
	for line := range strings.Lines(out.Log) {
		lines = append(lines, line)
	}
	if i.LoggingConfig != nil && i.LoggingConfig.LogFormat == "JSON" {
		status := "success"
		if out.Error != "" {
			status = "error"
		}
		lines = append(lines, platformEvent(now, "report", map[string]any{
			"requestId": id, "status": status,
			"metrics": map[string]any{"durationMs": ms, "billedDurationMs": ms, "memorySizeMB": i.MemorySize},
		}))
	} else {
		lines = append(lines, "END RequestId: "+id+"\n", fmt.Sprintf(
			"REPORT RequestId: %s\tDuration: %d.00 ms\tBilled Duration: %d ms\tMemory Size: %d MB\t"+
				"Max Memory Used: 40 MB\n", id, ms, ms, i.MemorySize))
	}
	stream := now.UTC().Format("2006/01/02") + "/[" + i.Version + "]"
	s.putLog(r.account+"/"+r.region+"/"+group, stream, now, lines...)
}

// platformEvent returns an event that Lambda logs in the format JSON.
func platformEvent(at time.Time, kind string, data map[string]any) string {
	b, err := json.Marshal(map[string]any{
		"time": at.UTC().Format("2006-01-02T15:04:05.000Z"), "type": "platform." + kind, "record": data,
	})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

// filterLogEvents returns the events of a log group, the oldest first. A pattern is matched as a term.
func filterLogEvents(s *Server, r *request) any {
	in := struct {
		LogGroupName, LogGroupIdentifier, FilterPattern, NextToken string
		StartTime, EndTime                                         *int64
		Limit                                                      int
	}{Limit: maxLogPage}
	r.decode(&in)
	if (in.LogGroupName == "") == (in.LogGroupIdentifier == "") {
		panic(apiError(http.StatusBadRequest, "InvalidParameterException",
			"Specify either logGroupName or logGroupIdentifier."))
	}
	account, group := r.account, in.LogGroupName+in.LogGroupIdentifier
	if before, name, isARN := strings.Cut(group, ":log-group:"); isARN {
		account, group = before[strings.LastIndex(before, ":")+1:], name
	}
	all, exists := s.logs[account+"/"+r.region+"/"+group]
	if !exists || account != r.account {
		panic(apiError(http.StatusBadRequest, "ResourceNotFoundException", "The specified log group does not exist."))
	}
	from, _ := strconv.Atoi(in.NextToken) // Empty is the first page.
	events, n, next := []map[string]any{}, 0, ""
	for _, e := range all {
		if in.StartTime != nil && e.at < *in.StartTime || in.EndTime != nil && e.at > *in.EndTime ||
			!strings.Contains(e.message, strings.Trim(in.FilterPattern, `"`)) {
			continue
		}
		if n++; n <= from {
			continue
		}
		if len(events) == min(in.Limit, maxLogPage) {
			next = strconv.Itoa(n - 1)
			break
		}
		events = append(events, map[string]any{
			"eventId": e.id, "logStreamName": e.stream, "message": e.message,
			"timestamp": e.at, "ingestionTime": e.at,
		})
	}
	out := map[string]any{"events": events}
	if next != "" {
		out["nextToken"] = next
	}
	return out
}

// describeLogGroups returns the log groups whose names have a prefix, by name.
func describeLogGroups(s *Server, r *request) any {
	in := struct {
		LogGroupNamePrefix string
		Limit              int
	}{Limit: maxLogGroups}
	r.decode(&in)
	groups, of := []map[string]any{}, r.account+"/"+r.region+"/"
	for _, key := range slices.Sorted(maps.Keys(s.logs)) {
		name, own := strings.CutPrefix(key, of)
		if !own || !strings.HasPrefix(name, in.LogGroupNamePrefix) || len(groups) == in.Limit {
			continue
		}
		g := map[string]any{
			"logGroupName": name, "arn": "arn:aws:logs:" + r.region + ":" + r.account + ":log-group:" + name + ":*",
		}
		if days := s.retention[key]; days > 0 {
			g["retentionInDays"] = days
		}
		groups = append(groups, g)
	}
	return map[string]any{"logGroups": groups}
}

// putRetentionPolicy sets for how many days the events of a log group are kept.
func putRetentionPolicy(s *Server, r *request) any {
	in := struct {
		LogGroupName    string
		RetentionInDays int
	}{}
	r.decode(&in)
	key := r.account + "/" + r.region + "/" + in.LogGroupName
	if _, exists := s.logs[key]; !exists {
		panic(apiError(http.StatusBadRequest, "ResourceNotFoundException", "The specified log group does not exist."))
	}
	s.retention[key] = in.RetentionInDays
	return nil
}
