package awsdouble

import (
	"fmt"
	"strings"
)

// FunctionURL is the HTTP endpoint of a function or an alias.
type FunctionURL struct {
	AuthType         string
	Cors             *Cors `json:",omitempty"`
	CreationTime     string
	FunctionArn      string
	FunctionUrl      string //nolint:revive // Lambda's spelling
	InvokeMode       string `json:",omitempty"`
	LastModifiedTime string `json:",omitempty"`
}

// Cors is the CORS configuration of a function URL.
type Cors struct {
	AllowCredentials *bool    `json:",omitempty"`
	AllowHeaders     []string `json:",omitempty"`
	AllowMethods     []string `json:",omitempty"`
	AllowOrigins     []string `json:",omitempty"`
	ExposeHeaders    []string `json:",omitempty"`
	MaxAge           *int32   `json:",omitempty"`
}

// urlInput is the body of CreateFunctionUrlConfig and UpdateFunctionUrlConfig.
type urlInput struct {
	AuthType, InvokeMode string
	Cors                 *Cors
}

// check rejects CORS settings without an origin. A block without any setting means none.
func (in *urlInput) check() {
	if c := in.Cors; c != nil && !c.none() && len(c.AllowOrigins) == 0 {
		panic(invalidParameter("You can't leave AllowOrigins as empty when Cors is enabled."))
	}
}

// apply writes what was sent. CORS settings are replaced as a whole, and an empty block removes them.
func (in *urlInput) apply(to *FunctionURL) {
	keep(in.AuthType, &to.AuthType)
	keep(in.InvokeMode, &to.InvokeMode)
	if in.Cors == nil {
		return
	}
	to.Cors = nil
	if !in.Cors.none() {
		c := *in.Cors
		c.AllowHeaders, c.ExposeHeaders = lower(c.AllowHeaders), lower(c.ExposeHeaders)
		to.Cors = &c
	}
}

func (c *Cors) none() bool {
	lists := len(c.AllowHeaders) + len(c.AllowMethods) + len(c.AllowOrigins) + len(c.ExposeHeaders)
	return lists == 0 && c.AllowCredentials == nil && c.MaxAge == nil
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
func (in *urlInput) modified(u FunctionURL) any {
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
	u := &FunctionURL{
		FunctionArn: arn, InvokeMode: "BUFFERED", CreationTime: now, LastModifiedTime: now,
		FunctionUrl: fmt.Sprintf("https://%s.lambda-url.%s.on.aws/", strings.ReplaceAll(newUUID(), "-", ""), r.region),
	}
	in.apply(u)
	f.urls[t.qualifier] = u
	out := *u
	out.LastModifiedTime = ""
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
	f, q := s.url(r)
	in.check()
	u := f.urls[q]
	in.apply(u)
	u.LastModifiedTime = s.isoTime()
	if in.AuthType == "" && in.InvokeMode == "" && in.Cors == nil {
		in.InvokeMode = "RESPONSE_STREAM" // AWS answers this, whatever the mode is.
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
