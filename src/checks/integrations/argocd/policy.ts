/** Argo CD's policy lines, and those that are built into it (CHECKS §4.2). */

export interface Rule {
  readonly sub: string;
  readonly of: string;
  readonly verb: string;
  readonly object: string;
  /** Anything but allow and deny is without effect. */
  readonly effect: string;
}

export interface Policy {
  readonly rules: readonly Rule[];
  /** From a user, group or role to a role. */
  readonly links: readonly (readonly [string, string])[];
}

/** A line that is neither `p` with six fields nor `g` with three. */
export class PolicyLineError extends Error {
  override readonly name = "PolicyLineError";
}

/** Throws PolicyLineError. */
export function readPolicy(csv: string): Policy {
  const rules: Rule[] = [];
  const links: [string, string][] = [];
  for (const line of csv.split("\n").map((one) => one.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    const [kind, sub = "", of = "", verb = "", object = "", effect = ""] = fields;
    if (kind === "p" && fields.length === 6) rules.push({ sub, of, verb, object, effect });
    else if (kind === "g" && fields.length === 3) links.push([sub, of]);
    else throw new PolicyLineError();
  }
  return { rules, links };
}

/** As Go's csv reader has it, with leading space trimmed. */
function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (let isLast = false; !isLast;) {
    const match = field.exec(line);
    if (match === null) throw new PolicyLineError();
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    isLast = match[3] === "";
  }
  return fields;
}

export function joined(...policies: readonly Policy[]): Policy {
  return { rules: policies.flatMap(({ rules }) => rules), links: policies.flatMap(({ links }) => links) };
}

const READONLY = "role:readonly";
const ADMIN = "role:admin";
const WITH_PROJECT = ["applications", "applicationsets", "logs", "exec"];
const CHANGES = ["create", "update", "delete"];

const READ =
  "applications applicationsets logs certificates clusters repositories write-repositories projects accounts gpgkeys".split(
    " ",
  );

const CHANGED: Readonly<Record<string, readonly string[]>> = {
  applications: [...CHANGES, "update/*", "delete/*", "sync", "rollback", "override", "action/*"],
  applicationsets: ["get", ...CHANGES],
  certificates: CHANGES,
  clusters: CHANGES,
  repositories: CHANGES,
  "write-repositories": CHANGES,
  projects: CHANGES,
  accounts: ["update"],
  gpgkeys: ["create", "delete"],
  exec: ["create"],
};

function builtIn(sub: string, of: string, verb: string): Rule {
  return { sub, of, verb, object: WITH_PROJECT.includes(of) ? "*/*" : "*", effect: "allow" };
}

export const BUILT_IN: Policy = {
  rules: [
    ...READ.map((of) => builtIn(READONLY, of, "get")),
    ...Object.entries(CHANGED).flatMap(([of, verbs]) => verbs.map((verb) => builtIn(ADMIN, of, verb))),
  ],
  links: [
    [ADMIN, READONLY],
    ["admin", ADMIN],
  ],
};
