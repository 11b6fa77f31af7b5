/** Argo CD's own order of evaluation: default role, subject, groups; each with at least one allow and no deny (CHECKS §4.2). */
import { matcherFor, type Matcher } from "./match.ts";
import { joined, type Policy, type Rule } from "./policy.ts";
import type { Bundle } from "./settings.ts";
import type { Ask } from "./where.ts";

/** Links followed from a name to a role. */
const DEEPEST = 10;

export interface Person {
  readonly email: string;
  readonly groups: readonly string[];
}

export class Enforcer {
  private readonly policy: Policy;
  private readonly matches: Matcher;

  constructor(
    private readonly bundle: Bundle,
    private readonly ask: Ask,
  ) {
    const own = ask.project === undefined ? undefined : bundle.projects.get(ask.project);
    this.policy = own === undefined ? bundle.policy : joined(bundle.policy, own);
    this.matches = matcherFor(bundle.mode);
  }

  /** Whether any of the person's names is allowed; `subject` is undefined where Argo CD's name for the person is not known. */
  allows(person: Person, subject: string | undefined): boolean {
    const names = this.namesOf(person, subject);
    const { verb, above } = this.ask.action;
    if (verb === "rollback" && !this.bundle.isRollbackOwn) return this.anyAllowed(names, "sync");
    if (this.anyAllowed(names, verb)) return true;
    if (above === undefined || this.bundle.isFineOwn) return false;
    const isDenied = names.some((name) => this.rulesFor(name, verb).some(({ effect }) => effect === "deny"));
    return !isDenied && this.anyAllowed(names, above);
  }

  /** Rules that only a name which no group leads to could use. */
  hasUserRules(): boolean {
    const linked = new Set([...this.policy.links.flat(), this.bundle.defaultRole]);
    return this.policy.rules.some(({ sub }) => !/^(?:role|proj):/.test(sub) && !linked.has(sub));
  }

  private namesOf({ email, groups }: Person, subject: string | undefined): string[] {
    const values = this.bundle.isEmailGroup ? [...groups, email] : groups;
    const linked = new Set(this.policy.links.map(([from]) => from));
    const { defaultRole } = this.bundle;
    return [
      ...(defaultRole === "" ? [] : [defaultRole]),
      ...(subject === undefined ? [] : [subject]),
      ...values.filter((value) => linked.has(value)),
    ];
  }

  private anyAllowed(names: readonly string[], verb: string): boolean {
    return names.some((name) => {
      const effects = this.rulesFor(name, verb).map(({ effect }) => effect);
      return effects.includes("allow") && !effects.includes("deny");
    });
  }

  private rulesFor(name: string, verb: string): Rule[] {
    const { action, object } = this.ask;
    const roles = this.reachable(name);
    return this.policy.rules.filter(
      (rule) =>
        roles.has(rule.sub) &&
        this.matches(rule.of, action.of) &&
        this.matches(rule.verb, verb) &&
        this.matches(rule.object, object),
    );
  }

  private reachable(name: string): ReadonlySet<string> {
    const found = new Set([name]);
    let last = [name];
    for (let step = 0; step < DEEPEST && last.length > 0; step++) {
      last = this.policy.links.flatMap(([from, to]) => (last.includes(from) && !found.has(to) ? [to] : []));
      for (const role of last) found.add(role);
    }
    return found;
  }
}
