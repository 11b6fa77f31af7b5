/** What every integration must make of a system that fails altogether (CHECKS §6.1). */
import type { Code } from "../../../src/checks/codes.ts";
import { Desk } from "./desk.ts";
import type { Fault } from "./fake-server.ts";
import type { Scenario } from "./scenario.ts";

/** Each failure of every call, with the code it must come to. */
export const FAILURES: Readonly<Record<string, { readonly fault: Fault; readonly code: Code }>> = {
  "status 500": { fault: () => ({ status: 500, body: "CANARY" }), code: "upstream_error" },
  "status 503": { fault: () => ({ status: 503, body: "CANARY" }), code: "upstream_error" },
  "status 429": { fault: () => ({ status: 429, body: "CANARY" }), code: "upstream_rate_limited" },
  "status 401": { fault: () => ({ status: 401, body: "CANARY" }), code: "credential_rejected" },
  "a redirect": {
    fault: () => ({ status: 302, headers: { location: "https://elsewhere.test/" } }),
    code: "upstream_error",
  },
  "a body that is no JSON": {
    fault: (reply) => ({ ...reply, status: 200, body: "<html>CANARY" }),
    code: "upstream_error",
  },
  "no answer": { fault: "hang", code: "upstream_timeout" },
  "a reset connection": { fault: "reset", code: "upstream_error" },
};

/** The code that comes of `scenario` when every call fails in this way. */
export async function failWith(scenario: Scenario, fault: Fault): Promise<Code> {
  const world = await scenario.world();
  world.fake.fault = () => fault;
  const desk = new Desk(world);
  const { code } = await desk.ask(scenario.asking);
  await desk.close();
  return code;
}
