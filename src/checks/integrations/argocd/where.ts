/** The object of a question as policies name it, and the project it belongs to (CHECKS §4.2). */
import type { Resource } from "../../question.ts";
import { idOf, onlyParams } from "../../shared/resource.ts";
import type { ArgoAction } from "./actions.ts";

export interface Ask {
  readonly action: ArgoAction;
  readonly object: string;
  /** The project whose roles count too. */
  readonly project: string | undefined;
}

const NAME = "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?";
const IN_PROJECT = new RegExp(`^${NAME}/(?:${NAME}/)?${NAME}$`);
const PLAIN = new RegExp(`^${NAME}$`);
/** URLs, key ids, host names: nothing that is a pattern. */
const ANY = /^[A-Za-z0-9[][\w.:/@%~+=,[\]-]{0,511}$/;

const APPS = ["applications", "applicationsets", "logs", "exec"];
const BY_SEGMENT = [...APPS, "clusters", "repositories"];

export function readAsk(action: ArgoAction, resource: Resource): Ask {
  onlyParams(resource);
  const object = objectOf(resource);
  const [first] = object.split("/");
  const project = action.of === "projects" ? object : BY_SEGMENT.includes(action.of) ? first : undefined;
  return { action, object, project };
}

function objectOf(resource: Resource): string {
  if (APPS.includes(resource.type))
    return idOf(resource, IN_PROJECT, "<project>/<name> or <project>/<namespace>/<name>")[0];
  if (resource.type === "projects") return idOf(resource, PLAIN, "with a-z, 0-9, - and .")[0];
  return idOf(resource, ANY, "by its address or name")[0];
}
