/** User name templates and lists of email domains (CHECKS §2.5). */
import type { Subject } from "../question.ts";

const HOLDERS = ["email", "local", "domain"] as const;

/** A text with `{email}`, `{local}`, `{domain}` in it. */
export class Template {
  constructor(readonly source: string) {}

  render(subject: Pick<Subject, (typeof HOLDERS)[number]>): string {
    return this.source.replace(/\{(email|local|domain)\}/g, (_, name: (typeof HOLDERS)[number]) => subject[name]);
  }
}

/** Throws an Error whose message says what is wrong with `source`. */
export function readTemplate(source: string): Template {
  const rest = source.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    if (!(HOLDERS as readonly string[]).includes(name))
      throw new Error(`{${name}} is not a placeholder; there are {email}, {local} and {domain}`);
    return "";
  });
  if (/[{}]/.test(rest)) throw new Error("has a brace without its other half");
  if (!/\{(email|local)\}/.test(source))
    throw new Error("must have {email} or {local} in it: else every user has the same name");
  return new Template(source);
}

/** Domains parted by commas, each exact. Throws an Error whose message says what is wrong. */
export function readDomains(source: string): ReadonlySet<string> {
  const domains = source.split(",").map((item) => item.trim().toLowerCase());
  for (const domain of domains) {
    if (domain === "") throw new Error("has an empty item");
    if (!isDomain(domain)) throw new Error("has an item that is not a DNS name (no wildcards)");
  }
  return new Set(domains);
}

function isDomain(name: string): boolean {
  return name.length <= 253 && name.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}
