package awsdouble

import (
	"encoding/xml"
	"net/http"
	"time"
)

var roleArn = whole(rolePattern)

// identity is GetCallerIdentity's response.
type identity struct {
	XMLName xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ GetCallerIdentityResponse"`
	Arn     string   `xml:"GetCallerIdentityResult>Arn"`
	UserID  string   `xml:"GetCallerIdentityResult>UserId"`
	Account string   `xml:"GetCallerIdentityResult>Account"`
}

func getCallerIdentity(_ *Server, r *request) any {
	return identity{Arn: r.caller.arn, UserID: r.caller.id, Account: r.caller.account}
}

// sessionCredentials are temporary keys.
type sessionCredentials struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      string
}

// assumedUser identifies a role's session.
type assumedUser struct {
	Arn           string
	AssumedRoleID string `xml:"AssumedRoleId"`
}

// assumed is the response of assuming a role.
type assumed struct {
	Credentials     sessionCredentials
	AssumedRoleUser assumedUser
}

type assumeRoleResponse struct {
	XMLName xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ AssumeRoleResponse"`
	Result  assumed  `xml:"AssumeRoleResult"`
}

type webIdentityResponse struct {
	XMLName xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ AssumeRoleWithWebIdentityResponse"`
	Result  assumed  `xml:"AssumeRoleWithWebIdentityResult"`
}

func assumeRole(s *Server, r *request) any {
	return assumeRoleResponse{Result: s.assume(r, s.assumeStrictly)}
}

func assumeRoleWithWebIdentity(s *Server, r *request) any {
	if r.form.Get("WebIdentityToken") == "" {
		panic(apiError(http.StatusBadRequest, "InvalidIdentityToken",
			"The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)"))
	}
	return webIdentityResponse{Result: s.assume(r, s.assumeByToken)}
}

// assume creates an access key that acts in the role's account: in strict mode after the checks of strict, otherwise
// without checks.
func (s *Server) assume(r *request, strict func(*request, wish) (string, *key)) assumed {
	if role := r.form.Get("RoleArn"); !roleArn.MatchString(role) {
		panic(&Error{Status: http.StatusBadRequest, Code: "ValidationError", Message: role + " is invalid"})
	}
	w := wishOf(r.form)
	if !s.options.StrictCredentials {
		strict = s.assumeFreely
	}
	id, k := strict(r, w)
	return assumed{
		Credentials: sessionCredentials{
			AccessKeyID: id, SecretAccessKey: k.secret, SessionToken: k.token,
			Expiration: k.expires.Format(time.RFC3339),
		},
		AssumedRoleUser: assumedUser{Arn: k.who.arn, AssumedRoleID: k.who.id},
	}
}

// assumeFreely lets anybody assume any role.
func (s *Server) assumeFreely(_ *request, w wish) (string, *key) {
	return s.issue(Role{ARN: w.role}, w, nil)
}

// assumeStrictly handles AssumeRole by an authenticated caller.
func (s *Server) assumeStrictly(r *request, w wish) (string, *key) {
	role := s.permit(r.caller, w)
	return s.issue(role, w, r.caller.inherited)
}

// assumeByToken handles AssumeRoleWithWebIdentity with a token that is verified.
func (s *Server) assumeByToken(r *request, w wish) (string, *key) {
	c, err := s.identifyToken(accountOfArn(w.role), r.form.Get("WebIdentityToken"))
	if err != nil {
		panic(err)
	}
	role := s.iam.roles[w.role]
	role.accepts(c)
	role.permitDuration(w)
	return s.issue(role, w, nil)
}
