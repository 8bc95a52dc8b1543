#!/bin/sh
# Takes the lexer definitions over from the chroma version in go.mod. `go generate` runs it.
set -eu
cd "$(dirname "$0")"
from=$(go list -m -f '{{.Dir}}' github.com/alecthomas/chroma/v2)
for name in bash c "c#" c++ graphql hcl protocol_buffer yaml java javascript kotlin php python ruby rust sql swift typescript; do
	install -m 644 "$from/lexers/embedded/$name.xml" .
done
install -m 644 "$from/COPYING" .
