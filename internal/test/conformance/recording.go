package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
)

// An Exchange is a call and AWS's answer to it, redacted. Recordings have one a line, as JSON.
type Exchange struct {
	// After is the time since the recording began, in milliseconds.
	After     int64  `json:"after"`
	Service   string `json:"service"`
	Operation string `json:"operation"`
	// Method, Path, with its query, and Body of the request. Those of other services than Lambda are left out.
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Body   any    `json:"body,omitempty"`
	// Type of an Invoke.
	Type   string `json:"type,omitempty"`
	Status int    `json:"status"`
	// Error is AWS's code of an error, and Headers those that describe an invocation.
	Error   string            `json:"error,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Answer is the body. Those of other services than Lambda, and results of functions, are left out.
	Answer any `json:"answer,omitempty"`
}

// A Recorder writes exchanges. It is safe for concurrent use.
type Recorder struct {
	// Redact replaces what a recording must not show.
	Redact *Redactor
	// Elapsed returns the milliseconds since the recording began.
	Elapsed func() int64

	mu  sync.Mutex
	out io.Writer
}

// NewRecorder returns a Recorder that writes to out.
func NewRecorder(out io.Writer, d *Redactor, elapsed func() int64) *Recorder {
	return &Recorder{Redact: d, Elapsed: elapsed, out: out}
}

// add writes the exchange of a call.
func (r *Recorder) add(c *call, rsp *http.Response, answer []byte) error {
	if strings.HasPrefix(c.operation, "Assume") {
		return nil // Its answer is credentials.
	}
	e := r.Redact.exchange(c, rsp, answer)
	r.mu.Lock()
	defer r.mu.Unlock()
	e.After = r.Elapsed()
	b, err := json.Marshal(e)
	if err == nil {
		_, err = r.out.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write the recording: %w", err)
	}
	return nil
}

// exchange returns a call and its answer without what must not be shown.
func (d *Redactor) exchange(c *call, rsp *http.Response, answer []byte) Exchange {
	e := Exchange{Service: c.service, Operation: c.operation, Status: rsp.StatusCode}
	code, _, _ := strings.Cut(rsp.Header.Get("X-Amzn-Errortype"), ":")
	e.Error = d.Text(code)
	if c.service != serviceLambda {
		return e
	}
	e.Method, e.Path, e.Type = c.method, d.path(c), d.Text(c.invocation)
	e.Body = d.body(c.body)
	for _, h := range []string{"X-Amz-Executed-Version", "X-Amz-Function-Error"} {
		if v := rsp.Header.Get(h); v != "" {
			if e.Headers == nil {
				e.Headers = map[string]string{}
			}
			e.Headers[h] = d.Text(v)
		}
	}
	if c.operation != "Invoke" || e.Error != "" {
		e.Answer = d.own(d.body(answer))
	}
	return e
}

// path returns the redacted path and query of a call.
func (d *Redactor) path(c *call) string {
	parts := strings.Split(c.path, "/")
	for i, p := range parts {
		if plain, err := url.PathUnescape(p); err == nil {
			parts[i] = url.PathEscape(d.Text(plain))
		}
	}
	path := strings.Join(parts, "/")
	q, err := url.ParseQuery(c.query)
	if err != nil || len(q) == 0 {
		return path
	}
	shown := url.Values{}
	for k, vs := range q {
		for _, v := range vs {
			shown.Add(d.Text(k), d.Text(v))
		}
	}
	return path + "?" + shown.Encode()
}

// body returns a redacted body: a JSON value, or a placeholder for anything else.
func (d *Redactor) body(b []byte) any {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	decode := json.NewDecoder(bytes.NewReader(b))
	decode.UseNumber()
	var v any
	if decode.Decode(&v) != nil || decode.More() {
		return d.placeholder("body", "redacted%d", string(b))
	}
	return d.Value(v)
}

// own removes what the run did not make from the lists of an account.
func (d *Redactor) own(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for k, list := range m {
		items, isList := list.([]any)
		if !isList || !lists[k] {
			continue
		}
		kept := []any{}
		for _, item := range items {
			if b, err := json.Marshal(item); err == nil && bytes.Contains(b, []byte("plc-"+shownRun)) {
				kept = append(kept, item)
			}
		}
		m[k] = kept
		if len(kept) < len(items) {
			delete(m, "NextMarker")
		}
	}
	return m
}

// lists are the members with lists of what an account has.
var lists = map[string]bool{
	"Functions": true, "Layers": true, "EventSourceMappings": true, "CapacityProviders": true,
}

// ReadRecording reads the exchanges of a file.
func ReadRecording(path string) ([]Exchange, error) {
	b, err := os.ReadFile(path) //nolint:gosec // The user names it.
	if err != nil {
		return nil, fmt.Errorf("cannot read a recording: %w", err)
	}
	return readExchanges(b)
}

func readExchanges(b []byte) ([]Exchange, error) {
	var all []Exchange
	const longest = 16 << 20
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, longest)
	for lines.Scan() {
		decode := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decode.UseNumber()
		var e Exchange
		if err := decode.Decode(&e); err != nil {
			return nil, fmt.Errorf("line %d is not an exchange: %w", len(all)+1, err)
		}
		all = append(all, e)
	}
	return all, lines.Err()
}
