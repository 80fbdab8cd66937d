package awsdouble

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

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
