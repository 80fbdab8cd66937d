package awsdouble

import (
	"bytes"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// chunk is the number of bytes of a response in an event of a stream. It is small, so that responses have several.
const chunk = 16

// invokeStream invokes a function, and returns the response as a stream of events.
func invokeStream(s *Server, r *request) any {
	a := answerTo(r, invoke(s, r))
	payload, _ := a.body.([]byte)
	if payload == nil {
		return a
	}
	complete := map[string]string{}
	if code := a.header.Get("X-Amz-Function-Error"); code != "" {
		complete["ErrorCode"], complete["ErrorDetails"] = code, string(payload)
		payload = nil
	}
	if tail := a.header.Get("X-Amz-Log-Result"); tail != "" {
		complete["LogResult"] = tail
	}
	body := &bytes.Buffer{}
	for rest := payload; len(rest) > 0; {
		n := min(chunk, len(rest))
		if err := writeEvent(body, "PayloadChunk", "application/octet-stream", rest[:n]); err != nil {
			panic(err)
		}
		rest = rest[n:]
	}
	if err := writeEvent(body, "InvokeComplete", "application/json", []byte(text(complete))); err != nil {
		panic(err)
	}
	header := http.Header{
		"Content-Type":           {"application/vnd.amazon.eventstream"},
		"X-Amz-Executed-Version": a.header["X-Amz-Executed-Version"],
	}
	return &answer{header: header, body: body.Bytes(), delay: a.delay}
}

// writeEvent writes one event of a stream.
func writeEvent(to *bytes.Buffer, kind, contentType string, payload []byte) error {
	m := eventstream.Message{Payload: payload}
	m.Headers.Set(":message-type", eventstream.StringValue("event"))
	m.Headers.Set(":event-type", eventstream.StringValue(kind))
	m.Headers.Set(":content-type", eventstream.StringValue(contentType))
	return eventstream.NewEncoder().Encode(to, m)
}
