package gitops

import "fmt"

// Int reads an integer by git's rules; def where the key is not set. Anything else is
// an error that names the key.
func (c Config) Int(key string, def int) (int, error) {
	v, ok := c.Lookup(key)
	if !ok {
		return def, nil
	}
	n, ok := parseInt(v)
	if !ok {
		return def, fmt.Errorf("config %s: bad number %q", key, v)
	}
	return int(n), nil
}
