/** One question to one state of a fake: the fault tests run each with every fault in every answer. */
import type { Code } from "../../../src/checks/codes.ts";
import type { Asking, World } from "./desk.ts";

export interface Scenario {
  readonly name: string;
  readonly world: () => Promise<World>;
  readonly asking: Asking;
  /** What comes of it with no fault. */
  readonly expect: Code;
  /**
   * Fields whose absence is this vendor's way to say something (`status.evaluationError`; `[]` stands for any index): leaving them out
   * is no fault. Each says why, from CHECKS or the vendor's documentation.
   */
  readonly absent?: Readonly<Record<string, string>>;
  /** Fields for which null alone is such a way (an empty list of Go's); leaving them out is still a fault. */
  readonly nullable?: Readonly<Record<string, string>>;
}
