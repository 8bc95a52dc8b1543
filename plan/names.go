package plan

import (
	"strings"
	"sync"
)

// extensions are the endings that make a word a file. Endings that are common
// as members of something (x.map, x.log, x.env, x.http) are left out: a file
// that is missed costs a warning, a word taken for a file a false conflict.
var extensions = setOf(`
adoc asm astro avsc awk bash bat bazel bib bzl c cc cfg cjs clj cljs cmake cmd coffee conf cpp cs csproj css
csv cts cue cxx dart diff dockerfile ejs elm erb erl ex exs fbs fish fs fsx gd gif glsl go gql gradle graphql groovy h
haml hbs hcl hpp hrl hs html htm hxx icns ico ini ipynb j2 java jinja jl jpeg jpg js json json5 jsonc
jsonl jsx kt kts less lhs liquid lua md mdx mjs mk ml mli mm mts nim nix pas patch pb pdf php pl plist pm
png prisma properties proto ps1 psd1 psm1 pug py pyi pyx rb rkt rs rst sass sbt scala scm scss sh
slim sln snap sol sql storyboard styl svelte svg swift tcl tex tf tfvars thrift tmpl toml
tpl ts tsv tsx ttf twig txt txtar vb vbs vim vue wasm webp woff woff2 xaml xib xml xsd yaml yml zig zsh
`)

// wellKnown are names that are files without such an ending.
var wellKnown = setOf(`
Makefile GNUmakefile makefile Dockerfile Containerfile Jenkinsfile Vagrantfile Procfile Rakefile Gemfile Brewfile
Podfile Fastfile Justfile justfile Taskfile Tiltfile Earthfile Caddyfile Pipfile Cartfile Dangerfile BUILD WORKSPACE
LICENSE NOTICE CODEOWNERS CMakeLists.txt go.mod go.sum go.work go.work.sum Cargo.lock Gemfile.lock Pipfile.lock
poetry.lock yarn.lock composer.lock uv.lock flake.lock Podfile.lock mix.lock bun.lockb gradlew mvnw
.gitignore .gitattributes .gitmodules .editorconfig .dockerignore .npmrc .nvmrc .env .env.example .env.local
.eslintrc .prettierrc .babelrc .mailmap .npmignore .prettierignore .eslintignore .tool-versions .python-version
`)

// frameworks are names of software that look like files.
var frameworks = setOf(`
node.js vue.js next.js nuxt.js express.js react.js three.js d3.js ember.js backbone.js angular.js chart.js
moment.js socket.io p5.js alpine.js solid.js discord.js asp.net
`)

var domains = setOf("com org io dev net in app co edu gov")

// proseSlashes are pairs of words, and media types, that people put in code spans.
var proseSlashes = setOf(`
and/or or/and either/or yes/no true/false on/off n/a pass/fail read/write input/output i/o tcp/ip client/server
application/json application/xml application/pdf application/octet-stream application/x-www-form-urlencoded
application/problem+json application/x-ndjson multipart/form-data text/plain text/html text/css text/csv
text/event-stream image/png image/jpeg image/svg+xml audio/mpeg video/mp4
`)

// setOf is words, put into a set when one is first looked for: most commands read no plan.
func setOf(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	})
}
