package awsdouble

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// identity is GetCallerIdentity's answer.
type identity struct {
	XMLName xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ GetCallerIdentityResponse"`
	Arn     string   `xml:"GetCallerIdentityResult>Arn"`
	UserID  string   `xml:"GetCallerIdentityResult>UserId"`
	Account string   `xml:"GetCallerIdentityResult>Account"`
}

func getCallerIdentity(_ *Server, r *request) (*answer, error) {
	return &answer{status: http.StatusOK, xml: identity{
		Arn: "arn:" + partition(r.region) + ":iam::" + r.account + ":user/double", UserID: "AIDADOUBLE", Account: r.account,
	}}, nil
}

// sessionCredentials are temporary keys.
type sessionCredentials struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      string
}

// assumedUser names a role's session.
type assumedUser struct {
	Arn           string
	AssumedRoleID string `xml:"AssumedRoleId"`
}

// assumed is what assuming a role results in.
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
	a, err := s.assume(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, xml: assumeRoleResponse{Result: a}}, nil
}

func assumeRoleWithWebIdentity(s *Server, r *request) (*answer, error) {
	if r.form.Get("WebIdentityToken") == "" {
		return nil, &Error{Status: http.StatusBadRequest, Code: "InvalidIdentityToken", Message: "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)"}
	}
	a, err := s.assume(r)
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, xml: webIdentityResponse{Result: a}}, nil
}

// assume makes an access key that acts in the role's account.
func (s *Server) assume(r *request) (assumed, error) {
	role := r.form.Get("RoleArn")
	parts := strings.SplitN(role, ":", 6)
	if !roleArn.MatchString(role) {
		return assumed{}, &Error{Status: http.StatusBadRequest, Code: "ValidationError", Message: role + " is invalid"}
	}
	seconds, err := strconv.Atoi(r.form.Get("DurationSeconds"))
	if err != nil {
		seconds = 3600
	}
	s.serial++
	key := fmt.Sprintf("ASIADOUBLE%06d", s.serial)
	s.accounts[key] = parts[4]
	session := r.form.Get("RoleSessionName")
	return assumed{
		Credentials: sessionCredentials{
			AccessKeyID: key, SecretAccessKey: "double", SessionToken: "double",
			Expiration: s.options.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339),
		},
		AssumedRoleUser: assumedUser{
			Arn:           fmt.Sprintf("arn:%s:sts::%s:assumed-role/%s/%s", parts[1], parts[4], role[strings.LastIndex(role, "/")+1:], session),
			AssumedRoleID: "AROADOUBLE:" + session,
		},
	}, nil
}
