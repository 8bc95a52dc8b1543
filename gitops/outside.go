package gitops

import "strings"

// localVars are the variables that belong to one repository (git rev-parse
// --local-env-vars). A program that works elsewhere must get none of them.
var localVars = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	"GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
	"GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
	"GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE",
}

// EnvOutside is the caller's environment without what ties a process to a repository or
// comes from this command's own -c: for programs that are not git.
func (r *Repo) EnvOutside() []string {
	var out []string
	for _, kv := range without(r.runner.env, localVars) {
		if !strings.HasPrefix(kv, "GIT_CONFIG_KEY_") && !strings.HasPrefix(kv, "GIT_CONFIG_VALUE_") {
			out = append(out, kv)
		}
	}
	return out
}
