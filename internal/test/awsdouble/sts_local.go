package awsdouble

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
)

// podAudience is the audience of tokens for EKS Pod Identity.
const podAudience = "pods.eks.amazonaws.com"

// AddPodIdentity associates a ServiceAccount with a role, as EKS does. Its pods get the role's credentials at
// URL()/v1/credentials for a token of the issuer, which must have been added with AddIssuer to the role's account
// with the audience pods.eks.amazonaws.com. The role must trust ServicePods and have TagSession.
func (s *Server) AddPodIdentity(issuer *Issuer, subject, role string) {
	defer s.lock()()
	s.iam.pods[issuer.URL+" "+subject] = role
}

// AddInstanceProfile gives the node a role. The instance metadata service at URL() returns its credentials. The role
// must trust ServiceInstances.
func (s *Server) AddInstanceProfile(role string) {
	defer s.lock()()
	s.iam.instance = role
}

// containerCredentials is the response that SDKs expect both of a container credentials endpoint and of the metadata
// service.
type containerCredentials struct {
	Code            string `json:",omitempty"`
	Type            string `json:",omitempty"`
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	Token           string
	AccountID       string `json:"AccountId"`
	Expiration      string
}

// podCredentials responds as the agent of EKS Pod Identity on a node does.
func podCredentials(s *Server, r *request) any {
	token := r.http.Header.Get("Authorization")
	if token == "" {
		panic(podRefusal(http.StatusBadRequest, "InvalidRequestException", "Service account token cannot be empty"))
	}
	c, role := s.pod(token)
	parts := strings.Split(c.Subject, ":")
	w := wish{name: "eks-double-pod", duration: defaultSession, tags: map[string]string{}}
	if len(parts) == 4 {
		w.tags["kubernetes-namespace"], w.tags["kubernetes-service-account"] = parts[2], parts[3]
		w.transitive = []string{"kubernetes-namespace", "kubernetes-service-account"}
	}
	return s.containerKeys(role, w)
}

// pod returns the claims of a pod's token, and the pod's role.
func (s *Server) pod(token string) (jwt.Claims, Role) {
	_, c, err := parseToken(token)
	if err != nil {
		panic(podRefusal(http.StatusBadRequest, "InvalidTokenException",
			"The token included in the request is invalid."))
	}
	arn, ok := s.iam.pods[c.Issuer+" "+c.Subject]
	if !ok {
		panic(podRefusal(http.StatusNotFound, "ResourceNotFoundException",
			"No associations found for the service account"))
	}
	if _, err := s.identifyToken(accountOfArn(arn), token); err != nil {
		e := asError(err)
		panic(podRefusal(http.StatusBadRequest, e.Code, e.Message))
	}
	role := s.iam.roles[arn]
	if !slices.Contains(c.Audience, podAudience) || !slices.Contains(role.Principals, ServicePods) || !role.TagSession {
		panic(podRefusal(http.StatusForbidden, "AccessDeniedException",
			"Unauthorized Exception! EKS does not have permissions to assume the associated role."))
	}
	return c, role
}

func podRefusal(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message, Fields: map[string]string{"code": code}}
}

func (s *Server) containerKeys(role Role, w wish) containerCredentials {
	id, k := s.issue(role, w, nil)
	return containerCredentials{
		AccessKeyID: id, SecretAccessKey: k.secret, Token: k.token,
		AccountID: k.who.account, Expiration: k.expires.Format(time.RFC3339),
	}
}

// metadataToken starts a session with the metadata service (IMDSv2).
func metadataToken(s *Server, r *request) any {
	ttl := r.http.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds")
	if ttl == "" {
		panic(&Error{Status: http.StatusBadRequest, Code: "BadRequest"})
	}
	s.iam.metadata = "double-metadata-token-" + newUUID()
	return &answer{
		body: []byte(s.iam.metadata), header: http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {ttl}},
	}
}

// node returns the node's role, for a session with the metadata service.
func (s *Server) node(r *request) Role {
	if s.iam.metadata == "" || r.http.Header.Get("X-Aws-Ec2-Metadata-Token") != s.iam.metadata {
		panic(&Error{Status: http.StatusUnauthorized, Code: "Unauthorized"})
	}
	role, ok := s.iam.roles[s.iam.instance]
	if !ok || !slices.Contains(role.Principals, ServiceInstances) {
		panic(&Error{Status: http.StatusNotFound, Code: "NotFound"})
	}
	return role
}

func instanceRole(s *Server, r *request) any {
	role := s.node(r)
	return []byte(role.ARN[strings.LastIndex(role.ARN, "/")+1:])
}

func instanceCredentials(s *Server, r *request) any {
	role := s.node(r)
	c := s.containerKeys(role, wish{name: "i-0123456789abcdef0", duration: defaultSession})
	c.Code, c.Type = "Success", "AWS-HMAC"
	return c
}
