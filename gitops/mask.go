package gitops

import (
	"regexp"
	"strings"
	"sync"
)

// maskRules are what Mask looks for and what it puts there. They are compiled when there is
// something to look at, for most commands have nothing.
var maskRules = sync.OnceValue(func() []maskRule {
	return []maskRule{
		// As curl reads it, the last @ before the path ends what is for the server alone.
		{regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/?#]*@`), "${1}***@"},
		{regexp.MustCompile(`(?i)([?&][^=&\s]*(?:token|key|secret|pass|pwd|auth|sig|credential)[^=&\s]*=)[^&\s'"]+`), "${1}***"},
		{regexp.MustCompile(`(?i)(\b(?:proxy-)?authorization: *(?:basic|bearer|token|negotiate|digest)? *)[^\s'"]+`), "${1}***"},
		{regexp.MustCompile(`(?i)(\b[a-z-]*(?:token|api-key|secret): *)[^\s'"]+`), "${1}***"},
	}
})

type maskRule struct {
	find *regexp.Regexp
	put  string
}

// Mask takes from a text what is there for a server's eyes: user and password of URLs,
// parameters of URLs and headers that are called like secrets. Where in doubt it takes more.
// Everything that git says or is told, and that is shown to somebody, goes through it.
func Mask(s string) string {
	if !strings.ContainsAny(s, "@=:") {
		return s
	}
	for _, rule := range maskRules() {
		s = rule.find.ReplaceAllString(s, rule.put)
	}
	return s
}

// maskAll is Mask for each word.
func maskAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Mask(w)
	}
	return out
}
