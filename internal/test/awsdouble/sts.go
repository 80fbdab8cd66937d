package awsdouble

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
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

func getCallerIdentity(s *Server, r *request) (*answer, error) {
	if c := r.caller; c != nil {
		return &answer{status: http.StatusOK, xml: identity{Arn: c.arn, UserID: c.id, Account: c.account}}, nil
	}
	return &answer{status: http.StatusOK, xml: identity{
		Arn: s.callerARN(r), UserID: "AIDADOUBLE", Account: r.account,
	}}, nil
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

func assumeRole(s *Server, r *request) (*answer, error) {
	a, err := s.assume(r, s.assumeStrictly)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, xml: assumeRoleResponse{Result: a}}, nil
}

func assumeRoleWithWebIdentity(s *Server, r *request) (*answer, error) {
	if r.form.Get("WebIdentityToken") == "" {
		return nil, &Error{Status: http.StatusBadRequest, Code: "InvalidIdentityToken", Message: "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)"}
	}
	a, err := s.assume(r, s.assumeByToken)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, xml: webIdentityResponse{Result: a}}, nil
}

// assume creates an access key that acts in the role's account: in strict mode after the checks of strict, otherwise
// without checks.
func (s *Server) assume(r *request, strict func(*request, wish) (string, *key, error)) (assumed, error) {
	if role := r.form.Get("RoleArn"); !roleArn.MatchString(role) {
		return assumed{}, &Error{Status: http.StatusBadRequest, Code: "ValidationError", Message: role + " is invalid"}
	}
	w, err := wishOf(r.form)
	if !s.options.StrictCredentials {
		return s.assumeFreely(w), nil
	}
	if err != nil {
		return assumed{}, err
	}
	id, k, err := strict(r, w)
	if err != nil {
		return assumed{}, err
	}
	return assumed{
		Credentials: sessionCredentials{
			AccessKeyID: id, SecretAccessKey: k.secret, SessionToken: k.token,
			Expiration: k.expires.Format(time.RFC3339),
		},
		AssumedRoleUser: assumedUser{Arn: k.who.arn, AssumedRoleID: k.who.id},
	}, nil
}

// assumeFreely lets anybody assume any role.
func (s *Server) assumeFreely(w wish) assumed {
	parts := strings.SplitN(w.role, ":", 6)
	s.serial++
	key := fmt.Sprintf("ASIADOUBLE%06d", s.serial)
	s.accounts[key] = parts[4]
	return assumed{
		Credentials: sessionCredentials{
			AccessKeyID: key, SecretAccessKey: "double", SessionToken: "double",
			Expiration: s.options.Now().Add(w.duration).UTC().Format(time.RFC3339),
		},
		AssumedRoleUser: assumedUser{
			Arn:           fmt.Sprintf("arn:%s:sts::%s:assumed-role/%s/%s", parts[1], parts[4], w.role[strings.LastIndex(w.role, "/")+1:], w.name),
			AssumedRoleID: "AROADOUBLE:" + w.name,
		},
	}
}

// assumeStrictly handles AssumeRole by an authenticated caller.
func (s *Server) assumeStrictly(r *request, w wish) (string, *key, error) {
	role, err := s.permit(r.caller, w)
	if err != nil {
		return "", nil, err
	}
	id, k := s.issue(role, w, r.caller.inherited)
	return id, k, nil
}

// assumeByToken handles AssumeRoleWithWebIdentity with a token that is verified.
func (s *Server) assumeByToken(r *request, w wish) (string, *key, error) {
	c, err := s.identifyToken(accountOfArn(w.role), r.form.Get("WebIdentityToken"))
	if err != nil {
		return "", nil, err
	}
	role := s.iam.roles[w.role]
	if err := role.accepts(c); err != nil {
		return "", nil, err
	}
	if err := role.permitDuration(w); err != nil {
		return "", nil, err
	}
	id, k := s.issue(role, w, nil)
	return id, k, nil
}
