package diff

// sample has a field of each sort that kinds describe themselves with.
type sample struct {
	Common `json:",inline"`

	Size    *int32            `json:"size"`
	On      *bool             `json:"on"`
	Kind    label             `json:"kind"`
	Env     environment       `json:"environment"`
	Tags    map[string]string `json:"tags"`
	Layers  []string          `json:"layers"`
	Network *network          `json:"network"`
	Mounts  []mount           `json:"mounts"`
	Code    code              `diff:"atomic"      json:"code"`
	Plain   string
}

// Common has the fields that samples share.
type Common struct {
	Name *string `json:"name"`
}

type label *string

type environment struct {
	Variables map[string]Secret `json:"variables"`
}

type network struct {
	Subnets Set     `json:"subnets"`
	IPv6    *bool   `json:"ipv6"`
	Proxy   *proxy  `json:"proxy"`
	Mode    string  `json:"mode"`
	Zone    *string `json:"zone"`
}

type proxy struct {
	Host *string `json:"host"`
	Port *int32  `json:"port"`
	Key  *Secret `json:"key"`
}

type mount struct {
	Path   string            `json:"path"`
	Read   *bool             `json:"read"`
	Limits map[string]Secret `json:"limits"`
}

type code struct {
	Source string  `json:"source"`
	Key    *string `json:"key"`
}

func named(name string) sample { return sample{Common: Common{Name: new(name)}} }
