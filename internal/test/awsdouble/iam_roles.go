package awsdouble

import (
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"strings"
)

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
