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
)

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
