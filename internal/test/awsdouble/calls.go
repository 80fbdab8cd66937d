package awsdouble

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Call is a call that the double received.
type Call struct {
	// Operation is the operation's name, empty if the double does not implement it.
	Operation string
	// Service is the name in the signature's scope: lambda, s3, sts, ecr, sqs or monitoring, which is CloudWatch's.
	Service string
	// AccessKey is the ID of the key that signed it, empty if it is unsigned.
	AccessKey string
	// Account is the account of the access key.
	Account string
	// Caller is the ARN of the user or the session whose access key signed it, empty if it is unsigned.
	Caller string
	// Region is the region of the signature's scope.
	Region string
	// Resource is the resource that the call names: a function's name or ARN as sent, a tagged resource's ARN, a
	// mapping's UUID, or bucket/key.
	Resource string
	// Items is the number of metrics or alarms that a call of CloudWatch asks for, or of messages that one of SQS
	// received or deleted, 0 if it was rejected before.
	Items int
	// Status is the HTTP status, 0 if the connection was dropped.
	Status int
	// ErrorCode is AWS's code, empty if the call succeeded.
	ErrorCode string
	// Time is the time of the call, by the server's clock.
	Time time.Time
}

// Calls returns all calls since the start or ResetCalls, oldest first.
func (s *Server) Calls() []Call {
	defer s.lock()()
	return slices.Clone(s.calls)
}

// Count returns how many calls of an operation were received; an empty name counts all.
func (s *Server) Count(operation string) int {
	defer s.lock()()
	n := 0
	for i := range s.calls {
		if operation == "" || s.calls[i].Operation == operation {
			n++
		}
	}
	return n
}

// ResetCalls empties the call log and the count of throttled calls.
func (s *Server) ResetCalls() {
	defer s.lock()()
	s.calls, s.throttled = nil, 0
}

func (s *Server) log(r *request, f *Fault, a *answer, err error) {
	c := Call{
		Operation: r.operation, Service: r.service, AccessKey: r.accessKey, Account: r.account, Region: r.region,
		Resource: r.resource(), Items: r.items, Time: s.options.Now(),
	}
	if r.accessKey != "" {
		c.Caller = r.caller.arn
	}
	switch {
	case f != nil && f.Drop != DropNone:
	case err != nil:
		e := asError(err)
		c.Status, c.ErrorCode = e.Status, e.Code
	default:
		c.Status = a.status
	}
	if c.Status == http.StatusTooManyRequests || c.ErrorCode == "Throttling" {
		s.throttled++
	}
	s.calls = append(s.calls, c)
	s.deliver(r, c)
}

// resource returns the resource that a call names.
func (r *request) resource() string {
	for _, v := range []string{
		"FunctionName", "Resource", "ResourceArn", "CodeSigningConfigArn", "LayerName",
		"CapacityProviderName", "UUID",
	} {
		if r.vars[v] != "" {
			return r.vars[v]
		}
	}
	if r.vars["Bucket"] != "" {
		return r.vars["Bucket"] + "/" + r.vars["Key"]
	}
	switch {
	case r.operation == "CreateFunction", r.operation == "CreateEventSourceMapping", r.service == serviceECR:
		in := peeked[struct{ FunctionName, RepositoryName string }](r)
		return in.FunctionName + in.RepositoryName
	case r.form != nil:
		return r.form.Get("RoleArn")
	}
	return ""
}

// A trail delivers calls to Lambda to a queue, as CloudTrail and EventBridge do.
type trail struct {
	queue string
	delay time.Duration
}

// Trail delivers each later call to Lambda that is not read-only to a queue, as an event of CloudTrail in an event of
// EventBridge. Calls of all accounts and regions are delivered. A message is visible after the delay.
func (s *Server) Trail(queue string, delay time.Duration) {
	defer s.lock()()
	s.trails = append(s.trails, trail{queue: queue, delay: delay})
}

// apiVersions are the ends of the names of events, as AWS documents them. The names of other events are those of the
// operations.
var apiVersions = map[string]string{
	"AddPermission": "20150331v2", "CreateAlias": "20150331", "CreateEventSourceMapping": "20150331",
	"CreateFunction": "20150331",
	"DeleteAlias":    "20150331", "DeleteEventSourceMapping": "20150331", "DeleteFunction": "20150331",
	"DeleteFunctionConcurrency": "20171031",
	"PublishLayerVersion":       "20181031", "PublishVersion": "20150331", "PutFunctionConcurrency": "20171031",
	"RemovePermission": "20150331v2",
	"TagResource":      "20170331v2", "UntagResource": "20170331v2", "UpdateAlias": "20150331",
	"UpdateEventSourceMapping": "20150331",
	"UpdateFunctionCode":       "20150331v2", "UpdateFunctionConfiguration": "20150331v2",
}

// deliver sends a call to the queues of all trails.
func (s *Server) deliver(r *request, c Call) {
	read := strings.HasPrefix(c.Operation, "Get") || strings.HasPrefix(c.Operation, "List") ||
		strings.HasPrefix(c.Operation, "Invoke")
	if len(s.trails) == 0 || c.Service != serviceLambda || c.Operation == "" || read {
		return
	}
	body, err := json.Marshal(event(r, c))
	if err != nil {
		return
	}
	for _, t := range s.trails {
		s.send(t.queue, string(body), t.delay)
	}
}

// event returns the event of EventBridge about a call. It has no values of a request beyond names.
func event(r *request, c Call) map[string]any {
	arn, at := r.caller.arn, c.Time.UTC().Format(time.RFC3339)
	who := map[string]any{
		"type": "IAMUser", "principalId": "AIDADOUBLE", "arn": arn, "accountId": c.Account,
		"accessKeyId": c.AccessKey,
	}
	if strings.Contains(arn, ":assumed-role/") {
		who["type"] = "AssumedRole"
	}
	detail := map[string]any{
		"eventVersion": "1.10", "userIdentity": who, "eventTime": at, "eventSource": "lambda.amazonaws.com",
		"eventName": c.Operation + apiVersions[c.Operation], "awsRegion": c.Region, "sourceIPAddress": "192.0.2.1",
		"userAgent": r.http.UserAgent(), "requestParameters": r.named(), "responseElements": nil,
		"requestID": newUUID(), "eventID": newUUID(), "readOnly": false, "eventType": "AwsApiCall",
		"managementEvent": true, "recipientAccountId": c.Account, "eventCategory": "Management",
	}
	if c.ErrorCode != "" {
		detail["errorCode"] = c.ErrorCode
	}
	return map[string]any{
		"version": "0", "id": newUUID(), "detail-type": "AWS API Call via CloudTrail", "source": "aws.lambda",
		"account": c.Account, "time": at, "region": c.Region, "resources": []string{}, "detail": detail,
	}
}

// named returns the parameters of a call that name something, as CloudTrail spells them.
func (r *request) named() map[string]any {
	p := map[string]any{}
	for _, v := range []string{
		"FunctionName", "Name", "UUID", "Resource", "ResourceArn", "LayerName", "VersionNumber",
		"StatementId", "CodeSigningConfigArn", "CapacityProviderName",
	} {
		if r.vars[v] != "" {
			p[strings.ToLower(v[:1])+v[1:]] = r.vars[v]
		}
	}
	if q := r.query("Qualifier"); q != "" {
		p["qualifier"] = q
	}
	in := peeked[struct{ FunctionName, Name, CapacityProviderName string }](r)
	for k, v := range map[string]string{
		"functionName": in.FunctionName, "name": in.Name, "capacityProviderName": in.CapacityProviderName,
	} {
		if v != "" && p[k] == nil {
			p[k] = v
		}
	}
	return p
}
