package awsdouble

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A Server is the double. New creates one; several may run side by side.
type Server struct {
	options Options
	http    *httptest.Server

	mu        sync.Mutex
	homes     map[string]*home
	buckets   map[string]*bucket
	images    map[string]string
	indexes   map[string]string
	faults    []*Fault
	plans     map[plan]failure
	roleReady time.Time
	calls     []Call
	throttled int
	tokens    map[string]*tokens
	serial    int
	iam       directory
	roles     map[string]*madeRole
	removed   map[string]bool
	code      map[string]func(Invoked) Returned
	memory    memory
	held      []*Held
	monitors  map[string]*monitor
	statuses  map[string]metricStatus
	traffic   []*traffic
	queues    map[string]*sqsQueue
	logs      map[string][]logEvent
	retention map[string]int
	trails    []trail
	policy    []Allow
	// restricted is the only access key that the policy is of. Empty means all.
	restricted string
	used       map[string]bool
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{
		options:   o,
		homes:     map[string]*home{},
		buckets:   map[string]*bucket{},
		images:    map[string]string{},
		indexes:   map[string]string{},
		plans:     map[plan]failure{},
		tokens:    map[string]*tokens{},
		iam:       newDirectory(),
		roles:     map[string]*madeRole{},
		removed:   map[string]bool{},
		code:      map[string]func(Invoked) Returned{},
		monitors:  map[string]*monitor{},
		statuses:  map[string]metricStatus{},
		queues:    map[string]*sqsQueue{},
		logs:      map[string][]logEvent{},
		retention: map[string]int{},
		memory:    memory{past: map[string][]past{}, read: map[string]int{}},
	}
}

// lock locks the double, and returns the function that unlocks it.
func (s *Server) lock() func() {
	s.mu.Lock()
	return s.mu.Unlock
}

// Start listens on a free port of 127.0.0.1.
func (s *Server) Start() { s.http = httptest.NewServer(s) }

// URL returns the endpoint of every service. It is empty before Start.
func (s *Server) URL() string {
	if s.http == nil {
		return ""
	}
	return s.http.URL
}

// Close stops listening and drops the connections.
func (s *Server) Close() {
	if s.http == nil {
		return
	}
	s.http.CloseClientConnections()
	s.http.Close()
}

// Config returns a configuration for SDK clients of a region, with static keys of DefaultAccount. S3 clients must set
// UsePathStyle.
func (s *Server) Config(region string) aws.Config {
	return s.ConfigFor(region, "AKIADOUBLE")
}

// ConfigFor returns Config's configuration with another access key, such as one of AddAccessKey.
func (s *Server) ConfigFor(region, accessKey string) aws.Config {
	keys := aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: "double"}
	return aws.Config{
		Region:       region,
		BaseEndpoint: aws.String(s.URL()),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return keys, nil
		}),
	}
}

// AddAccessKey assigns an access key to an account.
func (s *Server) AddAccessKey(id, account string) {
	s.AddCaller(id, account, "arn:aws:iam::"+account+":user/double")
}

// ServeHTTP handles one call: with a fault, a throttling error, or the operation.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	r, err := s.parse(hr)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Date", s.options.Now().UTC().Format(http.TimeFormat))
	h := find(r)
	if !s.travel(hr, s.arrive(r)) {
		return
	}
	s.awaitMessage(r)
	s.mu.Lock()
	a, f, err := s.answer(r, h)
	s.mu.Unlock()
	if a != nil && !passes(hr.Context(), a.delay) {
		return // The client does not wait any more.
	}
	switch {
	case f != nil && f.Drop != DropNone:
		drop(w)
	case f != nil && f.Answer != nil:
		rec := httptest.NewRecorder()
		write(rec, r, a, err)
		f.rewritten(w, rec)
	default:
		write(w, r, a, err)
	}
}

// passes waits in real time, and reports whether ctx was not done before.
func passes(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// answer handles a call and logs it. It returns the fault that was applied, if any.
func (s *Server) answer(r *request, h handler) (*answer, *Fault, error) {
	r.home = s.home(r.account, r.region)
	f := s.strike(r)
	a, err := s.outcome(r, h, f)
	s.log(r, f, a, err)
	return a, f, err
}

// outcome handles a call, unless a fault prevents it.
func (s *Server) outcome(r *request, h handler, f *Fault) (a *answer, err error) {
	switch {
	case h == nil:
		return nil, apiError(
			http.StatusNotFound, "UnknownOperationException", "The double does not know %s %s of %s",
			r.http.Method, r.http.URL.Path, r.service)
	case f != nil && f.Drop == DropBefore:
		return nil, nil
	case f != nil && f.Drop == DropNone && f.Answer == nil:
		e := f.Error
		return nil, &e
	}
	defer rejected(&err)
	s.admit(r)
	from := s.serving(r)
	r.home = from.home(r.account, r.region)
	if r.http.Method == http.MethodGet {
		return answerTo(r, h(from, r)), nil
	}
	defer s.remember()
	if r.service == serviceLambda {
		s.advanceTraffic() // By the routing before the call.
	}
	return answerTo(r, h(from, r)), nil
}

// rejected is deferred to return the *Error of a panic.
func rejected(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	default:
		panic(p)
	}
}

// admit rejects a call before its operation does.
func (s *Server) admit(r *request) {
	s.authenticate(r)
	s.authorize(r)
	if !s.withinQuota(r) {
		panic(r.throttled())
	}
	if len(r.body) > maxRequest && r.service == serviceLambda {
		panic(tooLarge("Request must be smaller than %d bytes for the %s operation", maxRequest, r.operation))
	}
	r.validate()
}

// write writes a response or an error in the form of the service.
func write(w http.ResponseWriter, r *request, a *answer, err error) {
	w.Header().Set("X-Amzn-RequestId", newUUID())
	if err != nil {
		writeError(w, r.service, asError(err))
		return
	}
	maps.Copy(w.Header(), a.header)
	raw, isRaw := a.body.([]byte)
	switch {
	case isRaw || a.body == nil:
		w.WriteHeader(a.status)
		_, _ = w.Write(raw)
	case r.service == serviceS3, r.service == serviceSTS, r.service == serviceIAM:
		writeXML(w, a.status, a.body)
	case r.service == serviceCloudWatch:
		writeCBOR(w, a.status, a.body)
	default:
		writeJSON(w, r.service, a.status, wired(a.body))
	}
}
