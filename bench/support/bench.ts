/** What a bench is: a name, and a function that measures and returns rows of one table. */
import type { Tools } from "./tools.ts";

export interface Row {
  readonly what: string;
  readonly runner: string;
  readonly value: number;
  readonly unit: string;
  /** Against another row of the same `what` in the same run, by runner. */
  readonly ratios: Readonly<Record<string, number>>;
  /** The most the ratio to a runner may be (issue "At the limit"). */
  readonly goal?: { readonly against: string; readonly atMost: number };
  /** Why there is no value. */
  readonly note?: string;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  run(tools: Tools): Promise<Row[]>;
}
