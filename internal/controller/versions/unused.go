package versions

import "context"

// UnusedOf returns those versions of a function that nothing in AWS uses. It makes a call for each list that AWS has
// per function, and more for each version that is in none of them. It reserves nothing.
func UnusedOf(ctx context.Context, api API, f Function, versions []string) ([]string, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	l, err := listsOf(ctx, api, f.Name)
	if err != nil {
		return nil, err
	}
	var unused []string
	for _, v := range versions {
		by := l.uses[v]
		if by == "" {
			if by, err = useOf(ctx, api, f, v); err != nil {
				return nil, err
			}
		}
		if by == "" {
			unused = append(unused, v)
		}
	}
	return unused, nil
}
