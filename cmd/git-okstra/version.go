package main

import (
	"runtime"
	"runtime/debug"
)

// version is set at build time by install.sh and by releases.
var version = "dev"

type versionCmd struct{}

// versionJSON is okstra.version/v1.
type versionJSON struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
}

// plainVersion recognises the question without a flag, which needs no parser of the command
// line: editors and scripts ask it to see whether the program is there.
func plainVersion(args []string) bool {
	return len(args) == 1 && (args[0] == "version" || args[0] == "--version")
}

// programVersion is the version that was built in, else what Go noted of the module.
func programVersion() string {
	if version == "dev" {
		if info, ok := debug.ReadBuildInfo(); ok {
			return moduleVersion(info.Main.Version)
		}
	}
	return version
}

// moduleVersion reads what Go says of the main module; "" and (devel) say nothing.
func moduleVersion(noted string) string {
	if noted == "" || noted == "(devel)" {
		return version
	}
	return noted
}

// Run prints the version.
func (versionCmd) Run(a *app) error { //nolint:unparam // kong wants the error
	if a.flags.JSON {
		writeJSON(a.std.out, versionJSON{"okstra.version/v1", programVersion(), runtime.Version()})
		return nil
	}
	a.print("git-okstra %s\n", programVersion())
	return nil
}
