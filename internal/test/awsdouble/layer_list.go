package awsdouble

import (
	"maps"
	"slices"
)

func listLayerVersions(_ *Server, r *request) any {
	name := r.layerName()
	return paged("LayerVersions", r.home.layers[name].matching(r), r)
}

// matching returns the versions that match a request's filters, newest first.
func (l *layer) matching(r *request) []layerItem {
	found := []layerItem{}
	if l == nil {
		return found
	}
	runtime, architecture := r.query("CompatibleRuntime"), r.query("CompatibleArchitecture")
	for _, v := range slices.Backward(l.versions) {
		if (runtime == "" || slices.Contains(v.CompatibleRuntimes, runtime)) &&
			(architecture == "" || slices.Contains(v.CompatibleArchitectures, architecture)) {
			found = append(found, v.layerItem)
		}
	}
	return found
}

// listedLayer is a layer in ListLayers's response.
type listedLayer struct {
	LatestMatchingVersion layerItem
	LayerArn, LayerName   string
}

func listLayers(_ *Server, r *request) any {
	h := r.home
	all := []listedLayer{}
	for _, name := range slices.Sorted(maps.Keys(h.layers)) {
		if found := h.layers[name].matching(r); len(found) > 0 {
			all = append(all,
				listedLayer{LayerName: name, LayerArn: h.arn("layer:" + name), LatestMatchingVersion: found[0]})
		}
	}
	return paged("Layers", all, r)
}
