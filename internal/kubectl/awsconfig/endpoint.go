package awsconfig

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// named returns the URL that the user has named by a flag. It is nil if there is none.
func (f *Flags) named() (*url.URL, error) {
	if f.endpoint == "" {
		return nil, nil //nolint:nilnil // Calls go to AWS.
	}
	u, err := url.Parse(f.endpoint)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return u, nil
	}
	return nil, fmt.Errorf("--aws-endpoint-url is %q: it must be a URL such as https://aws.example.org or "+
		"http://localhost:4566", f.endpoint)
}

// An encrypted client sends no plain HTTP beyond this machine, unless the user has named such a URL.
type encrypted struct {
	aws.HTTPClient

	plain bool
}

// Do sends a request.
func (c encrypted) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !c.plain && !isLoopback(r.URL.Hostname()) {
		return nil, fmt.Errorf("%s is not encrypted, so nothing was sent: use https, or set "+
			"--aws-endpoint-url to the URL",
			r.URL.Host)
	}
	return c.HTTPClient.Do(r)
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || host == "localhost"
}
