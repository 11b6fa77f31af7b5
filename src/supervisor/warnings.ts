/** What a request should make a person look twice at (SPEC §4). */
import { Tier } from "../policy/rule.ts";
import type { PendingCall, Warning } from "../session/request.ts";
import type { SupervisorSetup } from "./setup.ts";

/** Folders whose files open other doors. */
const KEY_FOLDERS = [".ssh", ".gnupg", ".aws", ".kube", ".azure", ".config/gcloud", ".config/hallpass", ".docker"];

export function warningsFor(
  setup: SupervisorSetup,
  question: Pick<PendingCall, "category" | "target" | "spelled">,
  tier: Tier | undefined,
): Warning[] {
  const { category, target, spelled } = question;
  if (category !== "write" && category !== "exec") return [];
  const warnings: Warning[] = [];
  const isInProject = isBelow(target, setup.project);
  if (category === "write" && !isInProject && !isBelow(target, setup.home)) warnings.push("outside-home-and-project");
  if (KEY_FOLDERS.some((folder) => isBelow(target, `${setup.home}/${folder}`))) warnings.push("holds-keys");
  if (!isInProject && spelled !== undefined && isBelow(spelled, setup.project) && !spelled.includes("/../"))
    warnings.push("symlink-leads-out");
  if (category === "write" && tier === Tier.askedByDefault) warnings.push("runs-later");
  return warnings;
}

export function isBelow(path: string, folder: string): boolean {
  return folder !== "" && (path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`));
}
