/** The matcher in a few plain lines: slow, obvious, and what the WASM is compared with. */
import { destOf, isPlainPath, patternsOf, verdictFor } from "./compile.ts";
import { connectedAddress, isMapped, type Dest, type InetDest } from "./dest.ts";
import { parsePatterns, type Pattern, type Segment, type Token } from "./glob.ts";
import { ConnectKind, Protocol } from "./layout.ts";
import { isNamed } from "./parse.ts";
import { decodePath, encodePath } from "./path-text.ts";
import type { Category, PlacedRule } from "./rule.ts";
import { isRestricting, NO_RULE } from "./verdict.ts";

/** The packed verdict on a real path (path text). `isName` as in `Matcher.matchName`. */
export function referenceMatch(
  rules: readonly PlacedRule[],
  category: Exclude<Category, "connect">,
  path: string,
  isName = false,
): number {
  const names = path.split("/").filter((name) => name !== "");
  return lowest(rules, (rule, verdict) => {
    if (rule.category !== category) return false;
    return partsOf(rule).some(
      (part) => part.kind === "path" && matchesPattern(part.pattern, names, isName && !isRestricting(verdict)),
    );
  });
}

/** The packed verdict on the record of an address (see dest-bytes.ts). */
export function referenceConnect(rules: readonly PlacedRule[], asked: Uint8Array): number {
  return lowest(rules, (rule) => rule.category === "connect" && partsOf(rule).some((part) => matchesDest(part, asked)));
}

function lowest(rules: readonly PlacedRule[], matches: (rule: PlacedRule, verdict: number) => boolean): number {
  let best = NO_RULE;
  rules.forEach((rule, index) => {
    const verdict = verdictFor(rule, index);
    if (verdict < best && matches(rule, verdict)) best = verdict;
  });
  return best;
}

type Part = { readonly kind: "path"; readonly pattern: Pattern } | { readonly kind: "dest"; readonly dest: Dest };

const parts = new WeakMap<PlacedRule, readonly Part[]>();

function partsOf(rule: PlacedRule): readonly Part[] {
  let known = parts.get(rule);
  if (known === undefined) {
    known = patternsOf(rule).flatMap((target): Part[] => {
      const dest = rule.category === "connect" ? destOf(target) : undefined;
      if (dest !== undefined && dest.kind !== "unix") return [{ kind: "dest", dest }];
      const isFile = isNamed(rule) && isPlainPath(target);
      return parsePatterns(dest?.glob ?? target).map(({ segments, reach }) => ({
        kind: "path",
        pattern: { segments, reach: isFile ? "name" : reach },
      }));
    });
    parts.set(rule, known);
  }
  return known;
}

function matchesPattern({ segments, reach }: Pattern, names: readonly string[], isNameOnly: boolean): boolean {
  if ((reach !== "tree" || !isNameOnly) && matchesSegments(segments, names)) return true;
  if (reach === "name") return false;
  return names.some((_, count) => matchesSegments(segments, names.slice(0, count)));
}

function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  const [first, ...rest] = segments;
  if (first === undefined) return names.length === 0;
  if (first.kind === "globstar") {
    return Array.from({ length: names.length + 1 }).some((_, skipped) => matchesSegments(rest, names.slice(skipped)));
  }
  const [name, ...others] = names;
  if (name === undefined) return false;
  const matches = first.kind === "literal" ? first.text === name : matchesTokens(first.tokens, codePoints(name));
  return matches && matchesSegments(rest, others);
}

function codePoints(name: string): number[] {
  return Array.from(name, (character) => character.codePointAt(0)!);
}

function matchesTokens(tokens: readonly Token[], name: readonly number[]): boolean {
  const [first, ...rest] = tokens;
  if (first === undefined) return name.length === 0;
  if (first === "star")
    return Array.from({ length: name.length + 1 }).some((_, taken) => matchesTokens(rest, name.slice(taken)));
  const [code, ...others] = name;
  return code !== undefined && acceptsCode(first, code) && matchesTokens(rest, others);
}

function acceptsCode(token: Exclude<Token, "star">, code: number): boolean {
  if (typeof token === "number") return token === code;
  if (token === "any") return true;
  return token.ranges.some(([low, high]) => low <= code && code <= high) !== token.negated;
}

function matchesDest(part: Part, asked: Uint8Array): boolean {
  const [kind] = asked;
  if (part.kind === "path") {
    const names = decodePath(asked.subarray(1))
      .split("/")
      .filter((name) => name !== "");
    return kind === ConnectKind.unix && matchesPattern(part.pattern, names, false);
  }
  const { dest } = part;
  if (dest.kind === "all") return true;
  if (dest.kind === "abstract") {
    const name = Buffer.from(asked.subarray(1));
    const wanted = encodePath(dest.name);
    return kind === ConnectKind.abstract && (dest.isPrefix ? name.subarray(0, wanted.length) : name).equals(wanted);
  }
  return dest.kind === "inet" && kind === ConnectKind.inet && matchesInet(dest, asked);
}

function matchesInet({ protocol, network, ports }: InetDest, asked: Uint8Array): boolean {
  if (protocol !== undefined && Protocol[protocol] !== asked[1]) return false;
  const port = asked[2]! * 256 + asked[3]!;
  if (port < ports[0] || port > ports[1]) return false;
  if (network === undefined) return true;
  const bytes = asked.slice(4);
  const address = connectedAddress([...(isMapped(bytes) ? bytes.slice(12) : bytes)]);
  return (
    address.length === network.address.length &&
    firstBits(address, network.bits) === firstBits(network.address, network.bits)
  );
}

function firstBits(bytes: readonly number[], count: number): string {
  return bytes
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .slice(0, count);
}
