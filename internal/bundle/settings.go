package bundle

import (
	"strings"
	"sync"
)

// Setting is one value of git's configuration as a bundle shows it.
type Setting struct {
	Scope string `json:"scope"`
	Key   string `json:"key"`
	Value string `json:"value"` // what it is, if that is harmless; "(hidden)", "(empty)" else
}

// knownSettings are the keys that are named in a bundle. For those after | any of the
// values that they take is a word of git's.
var knownSettings = lazySet("core.bare core.repositoryformatversion core.filemode core.symlinks core.ignorecase core.precomposeunicode core.logallrefupdates " +
	"core.autocrlf core.eol core.safecrlf core.hookspath core.worktree core.sparsecheckout core.sparsecheckoutcone core.untrackedcache core.fsmonitor " +
	"core.fsync core.fsyncmethod core.fsyncobjectfiles core.sharedrepository core.longpaths core.protectntfs core.protecthfs core.attributesfile core.excludesfile " +
	"core.splitindex core.commitgraph core.multipackindex core.sshcommand core.askpass core.pager core.editor core.gitproxy core.notesref core.quotepath " +
	"core.checkstat core.trustctime core.abbrev core.compression core.createobject core.deltabasecachelimit core.bigfilethreshold core.packedgitlimit core.packedrefstimeout " +
	"core.filesreflocktimeout core.warnambiguousrefs core.commentchar core.whitespace core.alternaterefscommand core.prefersymlinkrefs core.usereplacerefs core.preloadindex " +
	"okstra.task okstra.project okstra.ruleset okstra.worktreeroot okstra.remote okstra.lease okstra.sync okstra.portbase okstra.portstep okstra.postprovision " +
	"okstra.cleanignored okstra.prtemplate okstra.reconcilelimit okstra.outofplan okstra.qatimeout okstra.executor okstra.planpath okstra.hooksmissing okstra.initialized " +
	"extensions.objectformat extensions.refstorage extensions.worktreeconfig extensions.partialclone extensions.preciousobjects extensions.relativeworktrees extensions.noop")

// wordValues are harmless besides numbers, switches and times, each for its key.
var wordValues = sync.OnceValue(func() map[string]map[string]bool {
	return map[string]map[string]bool{
		"core.eol": wordSet("lf crlf native"), "core.checkstat": wordSet("default minimal"), "core.sharedrepository": wordSet("umask group all world everybody"),
		"extensions.objectformat": wordSet("sha1 sha256"), "extensions.refstorage": wordSet("files reftable"), "okstra.outofplan": wordSet("notice warn block ignore off"),
	}
})

// Setting is an entry of the configuration in disguise; ok is false for what is neither
// git's core nor ours, and for keys that nobody knows.
func (d *Disguise) Setting(scope, key, value string) (s Setting, ok bool) {
	known := strings.ToLower(key)
	if rest, is := strings.CutPrefix(key, "okstra.project."); is && strings.HasSuffix(strings.ToLower(rest), ".root") {
		return Setting{scope, "okstra.project." + d.As("name", rest[:len(rest)-len(".root")]) + ".root", "(hidden)"}, true
	}
	if !knownSettings()[known] {
		return Setting{}, false
	}
	switch {
	case value == "":
		value = "(empty)"
	case !harmless().MatchString(value) && !wordValues()[known][value]:
		value = "(hidden)"
	}
	return Setting{scope, key, value}, true
}

// Variables are those whose names may be told where they are set; values never are.
func Variables() []string {
	return strings.Fields("GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CEILING_DIRECTORIES GIT_CONFIG_GLOBAL " +
		"GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_PAGER GIT_EXEC_PATH GIT_NAMESPACE GIT_PREFIX GIT_TRACE GIT_TRACE2 " +
		"GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE OKSTRA_ACTOR OKSTRA_HOME OKSTRA_RUN OKSTRA_SKIP " +
		"HOME XDG_CONFIG_HOME TMPDIR LANG LC_ALL LANGUAGE NO_COLOR TERM PAGER CI HTTP_PROXY HTTPS_PROXY http_proxy https_proxy SSH_AUTH_SOCK")
}
