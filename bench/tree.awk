# Writes one commit of N files for git fast-import: a tree as projects have it (folders
# within folders, a dozen files in each, most of them small and a few large), the same
# bytes on every machine for the same N.
#
#   awk -v files=5000 -f bench/tree.awk | git fast-import

# rand01 is Park and Miller's generator: awk's own differs from one awk to another.
function rand01() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}

function word(   w, i) {
	w = ""
	for (i = 1 + int(3 * rand01()); i > 0; i--) w = w syllables[1 + int(count * rand01())]
	return w
}

# size is log-normal: half of the files are below 2.2 KB, one in a thousand above 80 KB.
function size(   bytes) {
	bytes = int(2200 * exp(1.2 * sqrt(-2 * log(rand01())) * cos(6.283185307179586 * rand01())))
	return bytes < 400000 ? bytes : 400000
}

function fill(bytes,   text, from) {
	text = ""
	while (bytes > 0) {
		from = 1 + int((poolSize - 1) * rand01())
		text = text substr(pool, from, bytes)
		bytes -= poolSize - from + 1
	}
	return text
}

BEGIN {
	seed = 20111
	count = split("con fig ser ver han dle par se rou te mod el vie w tem pla te ut il tes t ba se da ta lo ad", syllables, " ")
	for (i = 0; i < 6000; i++) {
		line = substr("\t\t\t\t", 1, int(4 * rand01()))
		for (j = 2 + int(7 * rand01()); j > 0; j--) line = line word() (rand01() < 0.2 ? "(" : " ")
		pool = pool line "{" int(10000 * rand01()) "}\n"
	}
	poolSize = length(pool)

	folder[0] = ""
	folders = 1 + int(files / 12)
	for (i = 1; i < folders; i++) {
		up = rand01()
		folder[i] = folder[int(i * up * up)] word() i "/"
	}

	print "commit refs/heads/main"
	print "committer Bench <bench@example.org> 1700000000 +0000"
	print "data 5\nfiles"
	for (i = 0; i < files; i++) {
		path = folder[int(folders * rand01())] word() "_" i
		if (i % 2500 == 2499) {
			print "M 120000 inline " path "\ndata " length(last) "\n" last
			continue
		}
		last = word() "_" i
		text = "# " i "\n" fill(size())
		print "M " (i % 100 == 0 ? 100755 : 100644) " inline " path ".txt\ndata " length(text) "\n" text
	}
	print "done"
}
