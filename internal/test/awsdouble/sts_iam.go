package awsdouble

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// The services that may assume a role, as its Principals name them.
const (
	// ServicePods is EKS Pod Identity.
	ServicePods = "pods.eks.amazonaws.com"
	// ServiceInstances is EC2, for the role of a node.
	ServiceInstances = "ec2.amazonaws.com"
)

// A User is an IAM user with an access key.
type User struct {
	// ARN of the user. Its calls are made in the ARN's account.
	ARN string
	// AccessKeyID and SecretAccessKey are its key.
	AccessKeyID, SecretAccessKey string
	// MayAssume are the ARNs of roles that its own policy lets it assume; "*" means every role.
	MayAssume []string
}

// A Role is an IAM role, with its trust policy.
type Role struct {
	// ARN of the role. Its sessions act in the ARN's account.
	ARN string
	// Principals that it trusts: ARNs of users, of roles or of their sessions, arn:aws:iam::<account>:root for
	// everyone in an account whom their own policy allows it, or a service.
	Principals []string
	// ExternalID that it requires, if any (sts:ExternalId).
	ExternalID string
	// TagSession allows tags of its sessions (sts:TagSession).
	TagSession bool
	// RequestTags that it requires, by key; "*" means any value (aws:RequestTag).
	RequestTags map[string]string
	// TagKeys that it allows. Nil allows all (aws:TagKeys).
	TagKeys []string
	// MaxSessionDuration of its sessions. Default: an hour.
	MaxSessionDuration time.Duration
	// WebIdentity that it trusts, if any.
	WebIdentity *WebIdentity
	// MayAssume are the ARNs of roles that its own policy lets it assume; "*" means every role.
	MayAssume []string
}

// WebIdentity is the trust of a role in the tokens of an issuer.
type WebIdentity struct {
	// Issuer is the issuer's URL, as AddIssuer received it for the account.
	Issuer string
	// Audience is the aud that the role requires. Empty means any that the account's provider allows.
	Audience string
	// Subject is the sub that it requires. Empty means any.
	Subject string
}

// directory is the state of IAM and STS.
type directory struct {
	keys      map[string]*key
	roles     map[string]Role
	providers map[string]provider
	pods      map[string]string
	instance  string
	metadata  string
}

func newDirectory() directory {
	return directory{
		keys: map[string]*key{}, roles: map[string]Role{}, providers: map[string]provider{},
		pods: map[string]string{},
	}
}

// key signs calls.
type key struct {
	secret, token string
	// expires is zero for a key that does not expire.
	expires time.Time
	who     *principal
}

// principal is a caller: a user, or the session of a role.
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

// AddUser adds a user and its key. A user that is added again has the new key in addition to the old one.
func (s *Server) AddUser(u User) {
	defer s.lock()()
	s.iam.keys[u.AccessKeyID] = &key{
		secret: u.SecretAccessKey,
		who: &principal{
			arn: u.ARN, id: "AIDA" + strings.TrimPrefix(u.AccessKeyID, "AKIA"),
			account: accountOfArn(u.ARN), mayAssume: u.MayAssume,
		},
	}
}

// AddCaller assigns an access key to an account and to the ARN of a user or a session. It is not for strict mode, in
// which a key has a secret.
func (s *Server) AddCaller(accessKey, account, arn string) {
	defer s.lock()()
	s.iam.keys[accessKey] = &key{who: &principal{arn: arn, id: "AIDADOUBLE", account: account}}
}

// principalOf returns the principal that signs with an access key: by default a user of DefaultAccount.
func (s *Server) principalOf(accessKey, region string) *principal {
	defer s.lock()()
	if k := s.iam.keys[accessKey]; k != nil {
		return k.who
	}
	return &principal{
		arn: "arn:" + partition(region) + ":iam::" + DefaultAccount + ":user/double", id: "AIDADOUBLE",
		account: DefaultAccount,
	}
}

// RemoveKey deletes a user's access key. Calls with it are rejected from then on.
func (s *Server) RemoveKey(accessKeyID string) {
	defer s.lock()()
	delete(s.iam.keys, accessKeyID)
}

// AddRole adds or replaces a role. Its sessions stay valid.
func (s *Server) AddRole(r Role) {
	defer s.lock()()
	s.iam.roles[r.ARN] = r
}

// IssuedSecrets returns the secret keys and the session tokens of all sessions so far, which must not appear in any
// output.
func (s *Server) IssuedSecrets() []string {
	defer s.lock()()
	secrets := []string{}
	for _, k := range s.iam.keys {
		if k.token != "" {
			secrets = append(secrets, k.secret, k.token)
		}
	}
	slices.Sort(secrets)
	return secrets
}

// accountOfArn returns the account of an ARN, empty if the text is none.
func accountOfArn(text string) string {
	parsed, _ := arn.Parse(text)
	return parsed.AccountID
}

// trusts reports whether a role's trust policy names a caller, and whether it names the caller itself rather than its
// account.
func (r *Role) trusts(p *principal) (trusted, itself bool) {
	if slices.Contains(r.Principals, p.arn) || p.role != "" && slices.Contains(r.Principals, p.role) {
		return true, true
	}
	return slices.ContainsFunc(r.Principals, func(arn string) bool {
		return strings.HasSuffix(arn, ":iam::"+p.account+":root")
	}), false
}

// allows reports whether a caller's own policy lets it assume a role.
func (p *principal) allows(role string) bool {
	return slices.Contains(p.mayAssume, role) || slices.Contains(p.mayAssume, "*")
}

const (
	shortestSession = 15 * time.Minute
	defaultSession  = time.Hour
	// chainedSession is the maximum duration of a session that another role's session assumed.
	chainedSession = time.Hour
)

// wish is a request for a session.
type wish struct {
	role       string
	name       string
	duration   time.Duration
	externalID string
	tags       map[string]string
	transitive []string
	policy     string
}

// wishOf parses a call. A member that is missing or invalid has its default.
func wishOf(f url.Values) wish {
	w := wish{
		role: f.Get("RoleArn"), name: f.Get("RoleSessionName"), duration: defaultSession,
		externalID: f.Get("ExternalId"), policy: f.Get("Policy"), tags: map[string]string{},
	}
	if text := f.Get("DurationSeconds"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			panic(stsError400("ValidationError", "%q is no number of seconds", text))
		}
		w.duration = time.Duration(seconds) * time.Second
	}
	folded := map[string]bool{}
	for i := 1; f.Has(fmt.Sprintf("Tags.member.%d.Key", i)); i++ {
		k := f.Get(fmt.Sprintf("Tags.member.%d.Key", i))
		if folded[strings.ToLower(k)] {
			panic(stsError400("InvalidParameterValue",
				"Duplicate tag keys found. Please note that Tag keys are case insensitive."))
		}
		folded[strings.ToLower(k)] = true
		w.tags[k] = f.Get(fmt.Sprintf("Tags.member.%d.Value", i))
	}
	for i := 1; f.Has(fmt.Sprintf("TransitiveTagKeys.member.%d", i)); i++ {
		w.transitive = append(w.transitive, f.Get(fmt.Sprintf("TransitiveTagKeys.member.%d", i)))
	}
	w.check()
	return w
}

// check checks what AWS checks of the parameters alone.
func (w *wish) check() {
	if w.duration < shortestSession {
		panic(stsError400("ValidationError", "1 validation error detected: Value '%d' at 'durationSeconds' failed to "+
			"satisfy constraint: Member must have value greater than or equal to 900", int(w.duration.Seconds())))
	}
	if w.policy != "" && !json.Valid([]byte(w.policy)) {
		panic(stsError400("MalformedPolicyDocument", "Syntax errors in policy."))
	}
	for _, k := range w.transitive {
		if _, ok := w.tags[k]; !ok {
			panic(stsError400("InvalidParameterValue",
				"The specified transitive tag key must be included in the requested tags."))
		}
	}
}

func stsError400(code, format string, args ...any) *Error {
	return apiError(http.StatusBadRequest, code, format, args...)
}

func notAuthorized(caller, action, role string) *Error {
	return apiError(http.StatusForbidden, "AccessDenied", "User: %s is not authorized to perform: %s on resource: %s",
		caller, action, role)
}

// permit returns the role if a caller may assume it, or else an error with the reason.
func (s *Server) permit(p *principal, w wish) Role {
	role, ok := s.iam.roles[w.role]
	denied := notAuthorized(p.arn, "sts:AssumeRole", w.role)
	if !ok || role.ExternalID != "" && role.ExternalID != w.externalID {
		panic(denied)
	}
	trusted, itself := role.trusts(p)
	if !trusted || !p.allows(w.role) && !(itself && p.account == accountOfArn(w.role)) {
		panic(denied)
	}
	role.permitTags(p, w)
	if p.role != "" && w.duration > chainedSession {
		panic(stsError400("ValidationError",
			"The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining"))
	}
	role.permitDuration(w)
	return role
}

// permitTags checks the tags of a session. Inherited tags count as tags that are set.
func (r *Role) permitTags(p *principal, w wish) {
	if len(w.tags)+len(p.inherited) > 0 && !r.TagSession {
		panic(notAuthorized(p.arn, "sts:TagSession", r.ARN))
	}
	for k := range w.tags {
		if _, taken := p.inherited[k]; taken {
			panic(stsError400("InvalidParameterValue", "One of the specified transitive tag keys can't be set "+
				"because it conflicts with a transitive tag key from the calling session."))
		}
		if r.TagKeys != nil && !slices.Contains(r.TagKeys, k) {
			panic(notAuthorized(p.arn, "sts:TagSession", r.ARN))
		}
	}
	for k, want := range r.RequestTags {
		if got, ok := w.tags[k]; !ok || want != "*" && got != want {
			panic(notAuthorized(p.arn, "sts:AssumeRole", r.ARN))
		}
	}
}

func (r *Role) permitDuration(w wish) {
	limit := r.MaxSessionDuration
	if limit == 0 {
		limit = defaultSession
	}
	if w.duration > limit {
		panic(stsError400("ValidationError",
			"The requested DurationSeconds exceeds the MaxSessionDuration set for this role."))
	}
}

// issue issues the keys of a new session of a role. inherited are the caller's transitive tags.
func (s *Server) issue(role Role, w wish, inherited map[string]string) (string, *key) {
	s.serial++
	tags := maps.Clone(inherited)
	if tags == nil {
		tags = map[string]string{}
	}
	for _, t := range w.transitive {
		tags[t] = w.tags[t]
	}
	id := fmt.Sprintf("ASIADOUBLE%06d", s.serial)
	name := role.ARN[strings.LastIndex(role.ARN, "/")+1:]
	account, _, _ := strings.Cut(role.ARN, ":role/")
	k := &key{
		secret:  "double-secret-" + newUUID(),
		token:   "double-session-token-" + newUUID(),
		expires: s.options.Now().Add(w.duration).UTC().Truncate(time.Second),
		who: &principal{
			arn:  strings.Replace(account, ":iam:", ":sts:", 1) + ":assumed-role/" + name + "/" + w.name,
			role: role.ARN, id: "AROADOUBLE" + strings.ToUpper(name) + ":" + w.name, account: accountOfArn(role.ARN),
			mayAssume: role.MayAssume, inherited: tags,
		},
	}
	s.iam.keys[id] = k
	return id, k
}
