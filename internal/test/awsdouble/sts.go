package awsdouble

import (
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
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

// madeRole is a role that CreateRole has made. Lambda may assume every role that RemoveResources has not removed.
type madeRole struct {
	path     string
	policies map[string]bool
}

// roleMember is a role in a response of IAM.
type roleMember struct {
	Arn      string
	Path     string
	RoleName string
}

func (s *Server) roleOf(r *request) (string, *madeRole) {
	name := r.form.Get("RoleName")
	role := s.roles[r.account+"/"+name]
	if role == nil {
		panic(apiError(http.StatusNotFound, "NoSuchEntity", "The role with name %s cannot be found.", name))
	}
	return name, role
}

func roleArnOf(account, path, name string) string {
	return "arn:aws:iam::" + account + ":role" + path + name
}

func createRole(s *Server, r *request) any {
	name, path := r.form.Get("RoleName"), r.form.Get("Path")
	if s.roles[r.account+"/"+name] != nil {
		panic(apiError(http.StatusConflict, "EntityAlreadyExists", "Role with name %s already exists.", name))
	}
	s.roles[r.account+"/"+name] = &madeRole{path: path, policies: map[string]bool{}}
	return struct {
		XMLName xml.Name   `xml:"https://iam.amazonaws.com/doc/2010-05-08/ CreateRoleResponse"`
		Role    roleMember `xml:"CreateRoleResult>Role"`
	}{Role: roleMember{Arn: roleArnOf(r.account, path, name), Path: path, RoleName: name}}
}

// iamDone is the response of an operation of IAM that returns nothing.
type iamDone struct {
	XMLName xml.Name `xml:"https://iam.amazonaws.com/doc/2010-05-08/ Response"`
}

func putRolePolicy(s *Server, r *request) any {
	_, role := s.roleOf(r)
	role.policies[r.form.Get("PolicyName")] = true
	return iamDone{}
}

func deleteRolePolicy(s *Server, r *request) any {
	_, role := s.roleOf(r)
	name := r.form.Get("PolicyName")
	if !role.policies[name] {
		panic(apiError(http.StatusNotFound, "NoSuchEntity", "The role policy with name %s cannot be found.", name))
	}
	delete(role.policies, name)
	return iamDone{}
}

func deleteRole(s *Server, r *request) any {
	name, role := s.roleOf(r)
	if len(role.policies) > 0 {
		panic(apiError(http.StatusConflict, "DeleteConflict", "Cannot delete entity, must delete policies first."))
	}
	delete(s.roles, r.account+"/"+name)
	return iamDone{}
}

func listRoles(s *Server, r *request) any {
	var found []roleMember
	for _, key := range slices.Sorted(maps.Keys(s.roles)) {
		account, name, _ := strings.Cut(key, "/")
		if path := s.roles[key].path; account == r.account && strings.HasPrefix(path, r.form.Get("PathPrefix")) {
			found = append(found, roleMember{Arn: roleArnOf(account, path, name), Path: path, RoleName: name})
		}
	}
	return struct {
		XMLName     xml.Name     `xml:"https://iam.amazonaws.com/doc/2010-05-08/ ListRolesResponse"`
		IsTruncated bool         `xml:"ListRolesResult>IsTruncated"`
		Roles       []roleMember `xml:"ListRolesResult>Roles>member"`
	}{Roles: found}
}

// MadeRoles returns the ARNs of the roles that CreateRole has made, sorted.
func (s *Server) MadeRoles() []string {
	defer s.lock()()
	var out []string
	for key, role := range s.roles {
		account, name, _ := strings.Cut(key, "/")
		out = append(out, roleArnOf(account, role.path, name))
	}
	slices.Sort(out)
	return out
}
