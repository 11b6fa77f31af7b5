/** User names made from an email by a template (CHECKS §2.5, §4.3, §4.4). */
import { stop } from "../codes.ts";
import type { Template } from "../config/template.ts";
import type { Subject } from "../question.ts";

/** The name; `unsupported` where the email's domain is not one of those the template stands for. */
export function nameByTemplate(template: Template, domains: ReadonlySet<string>, subject: Subject): string {
  if (!domains.has(subject.domain)) throw stop("unsupported", "the email's domain is not one of email_domains");
  return template.render(subject);
}
