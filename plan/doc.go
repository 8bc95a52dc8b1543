// Package plan reads an okstra implementation plan: one Markdown document with
// front matter, a Stage Map and one section for each stage.
//
// [Parse] turns the bytes of a file into a [Document]: headings, tables, token
// lines and front matter, each with its [Position]. What a reader of the
// rendered page would not see as a heading, a row or a token (code, HTML,
// comments) is none here either. The rules that a plan must meet live in
// plan/rules; this package only says what stands where.
//
// The package is pure: no clock, environment, files or processes. Plan text is
// hostile until proven otherwise, so every way through it is bounded: see
// limits.go for the bounds and what happens beyond them.
package plan
