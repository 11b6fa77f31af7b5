/** Links between connections: the right integration, no circles, and an order in which each comes after those it needs (CHECKS §2.2). */
import type { ConnectionConfig } from "./connection.ts";
import type { Problems } from "./raw.ts";

/** `connections` so ordered; what is wrong with ids and links goes to `problems`. */
export function inOrder(connections: readonly ConnectionConfig[], problems: Problems): ConnectionConfig[] {
  const byId = new Map<string, ConnectionConfig>();
  for (const one of connections) {
    if (byId.has(one.id)) problems.add(one.at, `the id ${one.id} is used twice`);
    else byId.set(one.id, one);
  }
  for (const one of connections) checkLinks(one, byId, problems);
  return new Sorter(byId, problems).all();
}

/** The ids that a connection's keys name, with the key. */
export function linksOf({ integration, values }: ConnectionConfig): { key: string; id: string }[] {
  const named = Object.entries(integration.keys).filter(([, one]) => one.links !== undefined);
  return named.flatMap(([key]) => (typeof values[key] === "string" ? [{ key, id: values[key] }] : []));
}

function checkLinks(one: ConnectionConfig, byId: ReadonlyMap<string, ConnectionConfig>, problems: Problems): void {
  for (const { key, id } of linksOf(one)) {
    const needed = one.integration.keys[key]?.links?.().name ?? "";
    const other = byId.get(id);
    if (id === one.id) problems.add(one.at, `${key} names its own connection`);
    else if (other === undefined)
      problems.add(one.at, `${key} names a connection that is not there or not in order: ${id}`);
    else if (other.integration.name !== needed)
      problems.add(one.at, `${key} needs a connection of ${needed}; ${id} is of ${other.integration.name}`);
  }
}

class Sorter {
  private readonly done = new Set<string>();
  private readonly open = new Set<string>();
  private readonly sorted: ConnectionConfig[] = [];

  constructor(
    private readonly byId: ReadonlyMap<string, ConnectionConfig>,
    private readonly problems: Problems,
  ) {}

  all(): ConnectionConfig[] {
    for (const one of this.byId.values()) this.visit(one);
    return this.sorted;
  }

  private visit(one: ConnectionConfig): void {
    if (this.done.has(one.id)) return;
    this.open.add(one.id);
    for (const { key, id } of linksOf(one)) {
      const other = this.byId.get(id);
      if (id !== one.id && this.open.has(id))
        this.problems.add(one.at, `${key} closes a circle of connections through ${id}`);
      else if (other !== undefined && !this.open.has(id)) this.visit(other);
    }
    this.open.delete(one.id);
    this.done.add(one.id);
    this.sorted.push(one);
  }
}
