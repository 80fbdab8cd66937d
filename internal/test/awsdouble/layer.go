package awsdouble

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// layer is a layer with its versions that were not deleted, oldest first. The numbers of deleted versions are not
// used again.
type layer struct {
	versions []*layerVersion
	last     int64
}

// layerVersion is a version of a layer.
type layerVersion struct {
	types.LayerVersionsListItem
	Content  types.LayerVersionContentOutput
	LayerArn string
	unzipped uint64
}

func publishLayer(s *Server, r *request) any {
	in, content := decoded[lambda.PublishLayerVersionInput](r), types.FunctionCode{}
	name := r.layerName()
	overlay(&content, in.Content)
	c := s.resolve(&content, name)
	h := r.home
	h.checkStorage(c.size, 0)
	if h.layers[name] == nil {
		h.layers[name] = &layer{}
	}
	l := h.layers[name]
	l.last++
	arn := h.arn("layer:" + name)
	v := &layerVersion{
		LayerVersionsListItem: types.LayerVersionsListItem{
			CompatibleArchitectures: in.CompatibleArchitectures, CompatibleRuntimes: in.CompatibleRuntimes,
			CreatedDate: aws.String(s.lastModified()), Description: aws.String(aws.ToString(in.Description)),
			LicenseInfo:     some(in.LicenseInfo),
			LayerVersionArn: aws.String(arn + ":" + strconv.FormatInt(l.last, 10)), Version: l.last,
		},
		Content: types.LayerVersionContentOutput{
			CodeSha256: &c.sha256, CodeSize: c.size, Location: c.location.Location,
			ResolvedS3Object: c.location.ResolvedS3Object,
		},
		LayerArn: arn, unzipped: c.unzipped,
	}
	l.versions = append(l.versions, v)
	return v
}

// layerName returns the plain name of the layer in the path, which may be an ARN.
func (r *request) layerName() string {
	name := r.vars["LayerName"]
	if !strings.HasPrefix(name, "arn:") {
		return name
	}
	parts := strings.Split(name, ":")
	if parts[3] != r.region || parts[4] != r.account {
		panic(accessDenied())
	}
	return parts[6]
}

// layerVersion returns the version by the layer and number in the path, or nil if it does not exist.
func (s *Server) layerVersion(r *request) *layerVersion {
	name := r.layerName()
	number, err := strconv.ParseInt(r.vars["VersionNumber"], 10, 64)
	if err != nil || number < 1 {
		panic(invalidParameter("Layer Version Cannot be less than 1"))
	}
	return r.home.layerVersion(name, number)
}

// layerVersion returns a version by layer and number, or nil if it does not exist.
func (h *home) layerVersion(name string, number int64) *layerVersion {
	if h.layers[name] == nil {
		return nil
	}
	for _, v := range h.layers[name].versions {
		if v.Version == number {
			return v
		}
	}
	return nil
}

func getLayer(s *Server, r *request) any {
	v := s.layerVersion(r)
	if v == nil {
		panic(notFound("The resource you requested does not exist."))
	}
	return *v
}

// ownLayer splits the ARN of a layer version. It returns false for layers of other accounts and regions, which are
// unknown to the double.
func (h *home) ownLayer(arn string) (name string, number int64, own bool) {
	rest, own := strings.CutPrefix(arn, h.arn("layer:"))
	name, version, _ := strings.Cut(rest, ":")
	number, err := strconv.ParseInt(version, 10, 64)
	return name, number, own && err == nil
}

func deleteLayer(s *Server, r *request) any {
	v := s.layerVersion(r)
	if v != nil {
		name, _, _ := r.home.ownLayer(*v.LayerVersionArn)
		l := r.home.layers[name]
		delete(r.home.policies, *v.LayerVersionArn)
		l.versions = slices.DeleteFunc(l.versions, func(other *layerVersion) bool { return other == v })
	}
	return nil
}

// checkExist rejects a function's layers that were not published, or were deleted. Those of other accounts exist.
func (h *home) checkExist(layers []string) {
	for _, arn := range layers {
		if name, number, own := h.ownLayer(arn); own && h.layerVersion(name, number) == nil {
			panic(invalidParameter("Layer version %s does not exist.", arn))
		}
	}
}

// layerARNs returns the layers of a configuration.
func (c *Configuration) layerARNs() []string {
	var all []string
	for _, l := range c.Layers {
		all = append(all, *l.Arn)
	}
	return all
}

// checkUnpacked rejects code that is too large together with its layers. Layers of other accounts have no size.
func (h *home) checkUnpacked(unzipped uint64, layers []string) {
	if len(layers) == 0 {
		return
	}
	for _, arn := range layers {
		name, number, own := h.ownLayer(arn)
		if v := h.layerVersion(name, number); own && v != nil {
			unzipped += v.unzipped
		}
	}
	if unzipped > maxUnzipped {
		panic(invalidParameter("Function code combined with layers exceeds the maximum allowed size of %d bytes. The "+
			"actual size is %d bytes.", maxUnzipped, unzipped))
	}
}

// layerSize returns the size in bytes of a layer's archive. That of a layer of another account is arbitrary.
func (h *home) layerSize(arn string) int64 {
	name, number, own := h.ownLayer(arn)
	if v := h.layerVersion(name, number); own && v != nil {
		return v.Content.CodeSize
	}
	return int64(len(arn))
}

func listLayerVersions(_ *Server, r *request) any {
	name := r.layerName()
	return paged("LayerVersions", r.home.layers[name].matching(r), r)
}

// matching returns the versions that match a request's filters, newest first.
func (l *layer) matching(r *request) []types.LayerVersionsListItem {
	found := []types.LayerVersionsListItem{}
	if l == nil {
		return found
	}
	runtime := types.Runtime(r.query("CompatibleRuntime"))
	architecture := types.Architecture(r.query("CompatibleArchitecture"))
	for _, v := range slices.Backward(l.versions) {
		if (runtime == "" || slices.Contains(v.CompatibleRuntimes, runtime)) &&
			(architecture == "" || slices.Contains(v.CompatibleArchitectures, architecture)) {
			found = append(found, v.LayerVersionsListItem)
		}
	}
	return found
}

func listLayers(_ *Server, r *request) any {
	h := r.home
	all := []types.LayersListItem{}
	for _, name := range slices.Sorted(maps.Keys(h.layers)) {
		if found := h.layers[name].matching(r); len(found) > 0 {
			all = append(all, types.LayersListItem{
				LayerName: &name, LayerArn: aws.String(h.arn("layer:" + name)), LatestMatchingVersion: &found[0],
			})
		}
	}
	return paged("Layers", all, r)
}

// layerPermission is AddLayerVersionPermission's input.
type layerPermission struct {
	Action, Principal, StatementId, OrganizationId string //nolint:revive // Lambda's spelling
}

// permitted returns the version that a request names, and fails if it does not exist.
func (s *Server) permitted(r *request) *layerVersion {
	if v := s.layerVersion(r); v != nil {
		return v
	}
	arn := r.home.arn("layer:" + r.layerName() + ":" + r.vars["VersionNumber"])
	panic(notFound("Layer version %s does not exist.", arn))
}

// layerPolicy returns the ARN of the version that a request names, and its policy.
func (s *Server) layerPolicy(r *request) (string, *policy) {
	arn := *s.permitted(r).LayerVersionArn
	return arn, r.home.policies[arn]
}

// checkLayerRevision rejects a change if the policy is not at the revision that the request names.
func checkLayerRevision(r *request, p *policy) {
	if revision := r.query("RevisionId"); revision != "" && (p == nil || revision != p.revision) {
		panic(staleRevision("GetLayerPolicy"))
	}
}

func addLayerPermission(s *Server, r *request) any {
	in := decoded[layerPermission](r)
	arn, held := s.layerPolicy(r)
	p := permission{
		Action: in.Action, Principal: in.Principal, StatementId: in.StatementId,
		PrincipalOrgID: in.OrganizationId,
	}
	st := p.statement(arn, partition(r.region))
	next := held.with(in.StatementId, st)
	checkLayerRevision(r, held)
	r.home.policies[arn] = next
	return map[string]string{"RevisionId": next.revision, "Statement": text(st)}
}

func removeLayerPermission(s *Server, r *request) any {
	arn, held := s.layerPolicy(r)
	if held == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	next := held.without(r.vars["StatementId"])
	checkLayerRevision(r, held)
	r.home.policies[arn] = next
	if len(next.Statement) == 0 {
		delete(r.home.policies, arn)
	}
	return nil
}

func getLayerPolicy(s *Server, r *request) any {
	_, held := s.layerPolicy(r)
	if held == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	return held.answer()
}
