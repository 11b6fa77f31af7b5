/** One table of cases for minimatch, the reference matcher and the WASM: pattern, paths that match, paths that do not. */

export interface PathCase {
  readonly pattern: string;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

export const PATH_CASES: readonly PathCase[] = [
  { pattern: "/a/b", yes: ["/a/b", "/a/b/c", "/a/b/c/d"], no: ["/a", "/a/bc", "/a/c", "/b", "/", "/x/a/b"] },
  { pattern: "/a/b/**", yes: ["/a/b", "/a/b/c", "/a/b/.c", "/a/b/c/d"], no: ["/a", "/a/bc", "/a/c"] },
  { pattern: "/**", yes: ["/", "/a", "/.a", "/a/b/c"], no: [] },
  { pattern: "/a/*", yes: ["/a/b", "/a/.b", "/a/b c"], no: ["/a", "/a/b/c", "/b"] },
  { pattern: "/a/*/c", yes: ["/a/b/c", "/a/.b/c"], no: ["/a/c", "/a/b/d/c", "/a/b/c/d"] },
  { pattern: "/a/**/c", yes: ["/a/c", "/a/b/c", "/a/b/.d/c", "/a/c/c"], no: ["/a", "/a/b", "/a/cc", "/a/c/d"] },
  { pattern: "/a/**/c/**", yes: ["/a/c", "/a/b/c", "/a/b/c/d", "/a/c/x/y"], no: ["/a", "/a/b", "/a/b/d"] },
  { pattern: "/**/c", yes: ["/c", "/a/c", "/a/b/c"], no: ["/", "/c/d", "/cc"] },
  { pattern: "/**/**/c", yes: ["/c", "/a/c"], no: ["/c/d"] },
  { pattern: "/**/a/**/b/**/a/**/b", yes: ["/a/b/a/b", "/a/x/b/a/y/b", "/a/a/b/b/a/a/b"], no: ["/a/b/a", "/b/a/b/a"] },
  {
    pattern: "/a/?",
    yes: ["/a/b", "/a/é", "/a/𝒳", "/a/\udcff", "/a/."].slice(0, 4),
    no: ["/a/bb", "/a", "/a/\udcff\udcfe"],
  },
  { pattern: "/a/??", yes: ["/a/bb", "/a/é𝒳", "/a/\udcff\udcc3"], no: ["/a/b", "/a/bbb"] },
  { pattern: "/a/*.js", yes: ["/a/x.js", "/a/.js", "/a/x.y.js"], no: ["/a/x.jsx", "/a/x.ts", "/a/b/x.js"] },
  { pattern: "/a/x*", yes: ["/a/x", "/a/xy", "/a/x.y"], no: ["/a/yx", "/a/x/y"] },
  { pattern: "/a/x*y*z", yes: ["/a/xyz", "/a/xxyyzz", "/a/xyzyz"], no: ["/a/xz", "/a/xyzz.", "/a/yz"] },
  { pattern: "/a/*x*", yes: ["/a/x", "/a/axb"], no: ["/a/ab"] },
  { pattern: "/a/a**b", yes: ["/a/ab", "/a/axxb"], no: ["/a/a/b", "/a/ax/xb"] },
  { pattern: "/a/[bc]", yes: ["/a/b", "/a/c"], no: ["/a/d", "/a/bc", "/a"] },
  { pattern: "/a/[!bc]", yes: ["/a/d", "/a/é", "/a/\udcff"], no: ["/a/b", "/a/c"] },
  { pattern: "/a/[^bc]", yes: ["/a/d"], no: ["/a/b"] },
  { pattern: "/a/[b-d]x", yes: ["/a/bx", "/a/cx", "/a/dx"], no: ["/a/ax", "/a/ex"] },
  { pattern: "/a/[]-]", yes: ["/a/]", "/a/-"], no: ["/a/x"] },
  { pattern: "/a/[a\\]]", yes: ["/a/a", "/a/]"], no: ["/a/\\"] },
  { pattern: "/a/[α-ω]", yes: ["/a/β", "/a/ω"], no: ["/a/b"] },
  { pattern: "/a/[[:digit:]]", yes: ["/a/1", "/a/٣"], no: ["/a/x"] },
  { pattern: "/a/[[:alpha:]_]", yes: ["/a/x", "/a/é", "/a/_"], no: ["/a/1"] },
  { pattern: "/a/[![:space:]]", yes: ["/a/x"], no: ["/a/ ", "/a/\t"] },
  { pattern: "/a/[b", yes: ["/a/[b", "/a/[b/c"], no: ["/a/b"] },
  { pattern: "/a/{b,c}", yes: ["/a/b", "/a/c", "/a/b/d"], no: ["/a/d", "/a/{b,c}"] },
  { pattern: "/a/{b,c/d}/e*", yes: ["/a/b/e", "/a/c/d/ex"], no: ["/a/c/e", "/a/b/d/e"] },
  { pattern: "/a/x{,y}z*", yes: ["/a/xz", "/a/xyz"], no: ["/a/xxz"] },
  { pattern: "/a/{b,{c,d}e}", yes: ["/a/b", "/a/ce", "/a/de"], no: ["/a/c", "/a/be"] },
  { pattern: "/a/{1..3}", yes: ["/a/{1..3}"], no: ["/a/1", "/a/2"] },
  { pattern: "/a/{b}", yes: ["/a/{b}"], no: ["/a/b"] },
  { pattern: "/a/+(b|c)", yes: ["/a/+(b|c)"], no: ["/a/b", "/a/bc"] },
  { pattern: "/a/!(b)", yes: ["/a/!(b)"], no: ["/a/c"] },
  { pattern: "/a/\\*", yes: ["/a/*", "/a/*/b"], no: ["/a/b"] },
  { pattern: "/a/\\[slug\\]/page.tsx", yes: ["/a/[slug]/page.tsx"], no: ["/a/s/page.tsx"] },
  { pattern: "/a/\\{b\\,c\\}", yes: ["/a/{b,c}"], no: ["/a/b"] },
  { pattern: "/a/b\\\\c", yes: ["/a/b\\c"], no: ["/a/bc"] },
  { pattern: "/a/#b", yes: ["/a/#b"], no: ["/a/b"] },
  { pattern: "/a/é", yes: ["/a/é"], no: ["/a/e\u0301", "/a/\udcc3"] },
  { pattern: "/a/\udcc3*", yes: ["/a/\udcc3", "/a/\udcc3x"], no: ["/a/é", "/a/x"] },
  {
    pattern: "/a/.git/hooks/*",
    yes: ["/a/.git/hooks/x", "/a/.git/hooks/.x"],
    no: ["/a/.git/hooks", "/a/.git/hooks/x/y"],
  },
];
