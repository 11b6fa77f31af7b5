/**
 * A verdict as one number, made so that of two the lower decides:
 *
 *     31   30..28  27..24  23..0
 *     0    tier    flags   index of the rule in CompiledPolicy.rules
 *
 * No rule at all is NO_RULE (the call is asked); a negative number is an error (the call is denied).
 */
import { Tier, type Verdict } from "./rule.ts";

/** The rule is a group's or a name's: it never allows a program that the sandbox itself can write (SPEC §3 exec). */
export const FLAG_NAMED = 1;
/** A write here asks only when what is written makes git run something (see git-config.ts). */
export const FLAG_CONTENT = 2;

export const NO_RULE = 0x7fff_ffff;
export const INDEX_MASK = 0x00ff_ffff;

export function packVerdict(tier: Tier, flags: number, index: number): number {
  return (tier << 28) | (flags << 24) | index;
}

/** The tier that decided, or undefined where no rule matched. */
export function tierOfVerdict(packed: number): Tier | undefined {
  return packed === NO_RULE ? undefined : ((packed >>> 28) as Tier);
}

/** The index of the rule, or -1. */
export function indexOfVerdict(packed: number): number {
  return packed < 0 || packed === NO_RULE ? -1 : packed & INDEX_MASK;
}

export function isNamedVerdict(packed: number): boolean {
  return packed >= 0 && packed !== NO_RULE && (packed & (FLAG_NAMED << 24)) !== 0;
}

export function isContentVerdict(packed: number): boolean {
  return packed >= 0 && packed !== NO_RULE && (packed & (FLAG_CONTENT << 24)) !== 0;
}

/** allow, deny or ask. An error is a denial. */
export function verdictOf(packed: number): Verdict {
  if (packed < 0) return "deny";
  return packed === NO_RULE ? "ask" : verdictOfTier((packed >>> 28) as Tier);
}

export function verdictOfTier(tier: Tier): Verdict {
  switch (tier) {
    case Tier.builtin:
    case Tier.deny:
      return "deny";
    case Tier.ask:
    case Tier.askedByDefault:
      return "ask";
    case Tier.grant:
    case Tier.allow:
    case Tier.implicit:
      return "allow";
  }
}

/** Whether a verdict forbids or asks by a rule. */
export function isRestricting(packed: number): boolean {
  return packed !== NO_RULE && verdictOf(packed) !== "allow";
}
