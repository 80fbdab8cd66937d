package kube

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"
)

// postpone keeps metadata of an object to be written with the next intent.
func (c *Client) postpone(key types.NamespacedName, values map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unwritten[key] = values
}

// joined returns the metadata to write with annotations: these, and what was postponed.
func (c *Client) joined(key types.NamespacedName, annotations map[string]string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]any{}
	values := maps.Clone(c.unwritten[key])
	if values == nil {
		values = map[string]any{}
	}
	if postponed, ok := values["annotations"].(map[string]any); ok {
		maps.Copy(all, postponed)
	}
	for k, v := range annotations {
		all[k] = v
	}
	values["annotations"] = all
	return values
}

// recorded forgets what was postponed, and reports whether there was anything.
func (c *Client) recorded(key types.NamespacedName) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.unwritten[key]
	delete(c.unwritten, key)
	return ok
}
