package awsdouble

import (
	"slices"
	"strings"
	"time"
)

// Services that may assume a role, as its Principals name them.
const (
	// ServicePods is EKS Pod Identity.
	ServicePods = "pods.eks.amazonaws.com"
	// ServiceInstances is EC2, for the role of a node.
	ServiceInstances = "ec2.amazonaws.com"
)

// User is an IAM user with an access key.
type User struct {
	// ARN of the user, whose account its calls are made in.
	ARN string
	// AccessKeyID and SecretAccessKey are its key.
	AccessKeyID, SecretAccessKey string
	// MayAssume are the ARNs of roles that its own policy lets it assume; "*" is
	// every role.
	MayAssume []string
}

// Role is an IAM role, with its trust policy.
type Role struct {
	// ARN of the role, whose account its sessions act in.
	ARN string
	// Principals that it trusts: ARNs of users, of roles or of their sessions,
	// arn:aws:iam::<account>:root for all of an account whose own policy lets
	// them, or a service.
	Principals []string
	// ExternalID that it asks for, if any (sts:ExternalId).
	ExternalID string
	// TagSession lets its sessions be tagged (sts:TagSession).
	TagSession bool
	// RequestTags that it asks for, by key; "*" is any value (aws:RequestTag).
	RequestTags map[string]string
	// TagKeys that it allows. Nil allows all (aws:TagKeys).
	TagKeys []string
	// MaxSessionDuration of its sessions. Default: an hour.
	MaxSessionDuration time.Duration
	// WebIdentity that it trusts, if any.
	WebIdentity *WebIdentity
	// MayAssume are the ARNs of roles that its own policy lets it assume; "*" is
	// every role.
	MayAssume []string
}

// WebIdentity is the trust of a role in the tokens of an issuer.
type WebIdentity struct {
	// Issuer is the issuer's URL, as AddIssuer was given it for the account.
	Issuer string
	// Audience is the aud that the role asks for. Empty is any that the
	// account's provider allows.
	Audience string
	// Subject is the sub that it asks for. Empty is any.
	Subject string
}

// directory is what IAM and STS know.
type directory struct {
	keys      map[string]*key
	roles     map[string]Role
	providers map[string]provider
	pods      map[string]string
	instance  string
	metadata  string
}

func newDirectory() directory {
	return directory{keys: map[string]*key{}, roles: map[string]Role{}, providers: map[string]provider{}, pods: map[string]string{}}
}

// key signs calls.
type key struct {
	secret, token string
	// expires is zero for a key that does not.
	expires time.Time
	who     *principal
}

// principal is who calls: a user, or the session of a role.
type principal struct {
	// arn of the user, or of the role's session.
	arn string
	// role is the ARN of a session's role.
	role      string
	id        string
	account   string
	mayAssume []string
	// inherited are a session's transitive tags.
	inherited map[string]string
}

// AddUser makes a user and its key known. A user that is added again has the new
// key besides the old.
func (s *Server) AddUser(u User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	account := accountOfArn(u.ARN)
	s.accounts[u.AccessKeyID] = account
	s.iam.keys[u.AccessKeyID] = &key{
		secret: u.SecretAccessKey,
		who:    &principal{arn: u.ARN, id: "AIDA" + strings.TrimPrefix(u.AccessKeyID, "AKIA"), account: account, mayAssume: u.MayAssume},
	}
}

// RemoveKey deletes a user's access key. AWS does not know it from then on.
func (s *Server) RemoveKey(accessKeyID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.iam.keys, accessKeyID)
}

// AddRole makes a role known, or replaces it. Sessions of it go on.
func (s *Server) AddRole(r Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.iam.roles[r.ARN] = r
}

// IssuedSecrets are the secret keys and the session tokens of all sessions so
// far: what must not show anywhere.
func (s *Server) IssuedSecrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	secrets := []string{}
	for _, k := range s.iam.keys {
		if k.token != "" {
			secrets = append(secrets, k.secret, k.token)
		}
	}
	slices.Sort(secrets)
	return secrets
}

func accountOfArn(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 {
		return ""
	}
	return parts[4]
}

// trusts says whether a role's trust policy names a caller, and whether it names
// it itself rather than its account.
func (r *Role) trusts(p *principal) (trusted, itself bool) {
	if slices.Contains(r.Principals, p.arn) || p.role != "" && slices.Contains(r.Principals, p.role) {
		return true, true
	}
	return slices.ContainsFunc(r.Principals, func(arn string) bool {
		return strings.HasSuffix(arn, ":iam::"+p.account+":root")
	}), false
}

// allows says whether a caller's own policy lets it assume a role.
func (p *principal) allows(role string) bool {
	return slices.Contains(p.mayAssume, role) || slices.Contains(p.mayAssume, "*")
}
