package main

import (
	"embed"
)

//go:embed help/completion.*
var completionFiles embed.FS

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh, fish or powershell." enum:"bash,zsh,fish,powershell" placeholder:"SHELL"`
}

// Run prints the script that makes a shell complete git okstra.
func (c *completionCmd) Run(a *app) error {
	ending := c.Shell
	if ending == "powershell" {
		ending = "ps1"
	}
	text, err := completionFiles.ReadFile("help/completion." + ending)
	if err != nil {
		return err
	}
	a.print("%s", text)
	return nil
}
