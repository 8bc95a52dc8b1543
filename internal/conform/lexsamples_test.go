package conform

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// samples are what is hard to read in each language: what nests, goes on over lines, or
// looks like something else. An acute accent stands for a backquote.
var samples = map[string]string{
	"bash": `
cat <<EOF | grep x # here
a $b "c" # no comment
EOF
cat <<-'END'
	it's $raw
	END
echo "a $(echo "b $((1 + 2)) ${c:-"d # e"}") f" # g
x=${y##*/} z=´date +"%s"´
[[ $a =~ ^#b ]] && echo $'\t' \
  more
case $1 in a|b) rm -- "$x" ;; *) : ;; esac
`,
	"c": `
#include <stdio.h> // in
#if 0
dead("code"); /* x */
#else
live('"', "\\", "a\"b", L"w");
#endif
#define M(a, b) \
	do { f(a, "/* no */"); } while (0) /* yes
	still */
int main(int argc, char **argv) { label: return 0x1Fu + 1.5e-3f + '\''; }
`,
	"c#": `
/// <summary>doc</summary>
[Attr("a")] public async Task<List<int>> F(string a = @"c:\x ""q""") => $"a {b:N2} {{c}} {d("e")}";
#region x
var s = $@"multi
{line} ""q"" \"; // end
char c = '\'', d = '"'; /* a // b */
using System.IO; namespace A.B { class C : D<E> where E : new() { } }
#endregion
`,
	"c++": `
auto s = R"x(raw ")" // no
/* no */)x"; // yes
template <typename T> class A<T>::B : public C { ~B() noexcept; operator bool() const; };
const char* p = u8"a" "b\"" ; // c \
int n = 1'000'000; auto f = [&](auto&& x) -> int { return x << 2; };
`,
	"graphql": `
# comment
"""
doc "x" # no
"""
type A implements B & C @key(fields: "id # no") { f(a: [Int!]! = 1): String # yes
}
query Q($x: ID!) { a(x: $x, s: "b\"c") { ...F } }
`,
	"hcl": `
# a
// b
/* c
"d" */
resource "x" "y" {
  a = "b ${c["d"]} # e" # f
  g = <<-EOT
    h ${i} # j
  EOT
  k = [for l in m : n if l != "o"]
}
`,
	"java": `
/** doc {@code "x"} */
@A(b = "c", d = {E.class}) public static <T extends F> T g(H... i) throws J { // k
  String s = """
      l "m" // n
      """ + 'o' + '\'' + "p\"" /* q */;
  label: for (int r : t) { u.v(w -> x::y); }
  var z = (A<B[]>) c.<D>e(0x1FL, 1_0.5e3f);
}
record R(int a) { } interface I { default void f() { } }
`,
	"javascript": `
const a = ´b ${c + ´d ${e} f´} // g
\${h}´; // i
const re = /[/"'´]\/x/gi.test("j") ? 1 / 2 / 3 : k; /* l
*/ <M n="o">{"p"}</M>
import q, { r as s } from 'u' // v
async function* w({ x = "y" } = {}) { yield* z?.a ?? 0n; } // '
<!-- html
`,
	"kotlin": `
/* a /* b */ c */
val d = "e $f ${g("h ${i}")} \" j" // k
val l = """m $n "o" // p
${q}"""
@R fun <S> T.u(v: (W) -> X = { it }): Y? = z@ { 'a' } // 'b
`,
	"php": `
<html><?php // a ?> b
/* c */ # d
$e = "f {$g['h']} ${i} $j->k" . 'l\'m' . <<<N
o $p {$q->r}
N;
$s = <<<'T'
u $v
T;
#[W(x: 'y')] class Z { public ?int $a = 1; function b(): static { return $this?->c::d; } }
?><p>e</p><?= $f ?>
`,
	"protocol_buffer": `
syntax = "proto3"; // a
/* b */ message C { repeated D e = 1 [f = "g // h"]; oneof i { string j = 2; } map<string, K> l = 3; }
service M { rpc N (stream O) returns (P) { option (q) = { r: "s" }; } }
`,
	"python": `
#!/usr/bin/env python
"""doc # no"""
def f(a: int = 1, *b, **c) -> "d":  # e
    """doc
    'x' # no"""
    g = f"h {i!r:>{j}} {{k}} {l['m']}" rb'n\'o' # p
    return '''q
    # r''' + u"\N{BULLET} %s %(t)d" % v
@w.x(y="z")
class A(B, metaclass=C): pass; d = 0xFF_0j; e = lambda: (yield)
`,
	"ruby": `
=begin
a "b"
=end
c = "d #{e "f #{g}"} # h" # i
j = %w(k l(m) n) + %q{o {p} #{q}} + %r{s/t}i + :"u v" + ?w + 'x\'y'
z = <<~A + <<-'B'
  c #{d}
  A
  e
  B
f = g / h / i; j =~ /k[\/]#{l}/x; m.n? ? o : p
def q!(r: 1, &s) = t&.u(*v, **w) # x
__END__
y
`,
	"rust": `
//! doc
/* a /* b */ c */
#[d(e = "f")] fn g<'h, T: I + 'static>(j: &'h str) -> Result<K, L> { // m
    let n = r#"o "p" // q"#; let s = b"t\"u"; let v = 'w'; let x = '\''; let y = b'z';
    println!("{a:?} {}", b!{c => "d"}, 1_000u64, 0x1F, 1.5e3f32); 'e: loop { break 'e }
}
`,
	"sql": `
-- a 'b'
/* c
*/ SELECT "d", 'e''f -- g', h::text FROM i WHERE j = $1 AND k LIKE '%l' -- m
CREATE FUNCTION n() RETURNS trigger AS $$ BEGIN RETURN 'o'; END $$ LANGUAGE plpgsql;
`,
	"swift": `
/* a /* b */ c */
let d = "e \(f("g \(h)")) i" // j
let k = """
  l "m" // n \(o)
  """ + #"p "q" \#(r)"#
@S public func t<U: V>(_ w: inout X?) async throws -> [Y: Z] { guard let a = b else { return } } // c
#if DEBUG
#endif
`,
	"typescript": `
type A<B> = { [C in keyof B]?: D<B[C]> } // e
const f = ´g ${h as I} \${j}´; const k = <L>m!; /* n */ @O({ p: 'q' }) class R<S> extends T implements U { private v?: W = /x"y/; }
const z = <A b={"c"}>{/* d */}e 'f</A>;
declare module "g" { export default h; } abstract enum I { J = "k" }
`,
	"yaml": `
# a
b: "c # d" # e
f: 'g''h' # i
j: |
  k # l
  m: "n"
o: >-
  p
q: &r [s, {t: u}] # v
w: *r
`,
}

// TestHardSources holds our reading of the samples to chroma's: whole, from each line on,
// with a line left out and with lines turned round, so that each is met in the middle of
// each other.
func TestHardSources(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, l := range Builtin().languages {
		if l.Lexer != "" && l.Lexer != "go" {
			names[l.Lexer] = true
		}
	}
	for name := range names {
		src, ok := samples[name]
		if !ok {
			t.Errorf("%s has no sample", name)
			continue
		}
		src = strings.ReplaceAll(src, "´", "`")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameTokens(t, name, src)
			lines := strings.SplitAfter(src, "\n")
			for i := range lines {
				sameTokens(t, name, strings.Join(lines[i:], ""))
				sameTokens(t, name, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
			}
			random := rand.New(rand.NewPCG(8, 32)) //nolint:gosec // the same mixtures each time
			for range 20 {
				random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				sameTokens(t, name, strings.Join(lines, ""))
			}
		})
	}
}
