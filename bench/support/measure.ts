/** Interleaved rounds, medians and ratios: every runner is measured in each round, so that a slow minute slows them all. */
import type { Row } from "./bench.ts";

export interface Runner {
  readonly name: string;
  /** One measurement; undefined where this runner cannot do it, with the reason printed once. */
  measure(): Promise<number>;
}

export interface Plan {
  readonly what: string;
  readonly unit: string;
  readonly rounds: number;
  readonly runners: readonly Runner[];
  readonly goals?: Readonly<Record<string, { readonly against: string; readonly atMost: number }>>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The order turns with each round: whoever comes first does so as often as any other. */
function turned<T>(list: readonly T[], by: number): T[] {
  const at = by % Math.max(list.length, 1);
  return [...list.slice(at), ...list.slice(0, at)];
}

export async function compare(plan: Plan): Promise<Row[]> {
  const values = new Map<string, number[]>();
  const notes = new Map<string, string>();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const runner of turned(plan.runners, round)) {
      if (notes.has(runner.name)) continue;
      try {
        const value = await runner.measure();
        values.set(runner.name, [...(values.get(runner.name) ?? []), value]);
      } catch (error) {
        notes.set(runner.name, error instanceof Error ? error.message : String(error));
      }
    }
  }
  return rows(plan, values, notes);
}

function rows(plan: Plan, values: Map<string, number[]>, notes: Map<string, string>): Row[] {
  const medians = new Map([...values].map(([name, all]) => [name, median(all)]));
  return plan.runners.map(({ name }) => {
    const note = notes.get(name);
    const value = note === undefined ? (medians.get(name) ?? Number.NaN) : Number.NaN;
    const others = [...medians].filter(([other]) => other !== name && !notes.has(other));
    const ratios = Object.fromEntries(others.map(([other, its]) => [other, value / its]));
    const goal = plan.goals?.[name];
    const optional = { ...(goal === undefined ? {} : { goal }), ...(note === undefined ? {} : { note }) };
    return { what: plan.what, runner: name, value, unit: plan.unit, ratios, ...optional };
  });
}
