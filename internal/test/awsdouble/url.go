package awsdouble

import (
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

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
