/** Every fault of every answer in a scenario (CHECKS §6.1): none may turn a deny or an unknown into an allow. */
import { outcomeOf, type Code } from "../../../src/checks/codes.ts";
import { Desk } from "./desk.ts";
import type { Exchange, FakeReply, FakeRequest, Fault } from "./fake-server.ts";
import type { Scenario } from "./scenario.ts";

interface Broken {
  readonly name: string;
  readonly request: string;
  readonly fault: Fault;
}

/** At most so many faults a scenario, spread evenly; a scenario with more nodes than this should use smaller answers. */
const MOST = 600;

const WHOLE: Readonly<Record<string, Fault>> = {
  "status 500": () => ({ status: 500, body: { error: "x" } }),
  "status 503 with the right body": (reply) => ({ ...reply, status: 503 }),
  "status 429": () => ({ status: 429 }),
  "status 302": () => ({ status: 302, headers: { location: "/elsewhere" } }),
  "no answer": "hang",
  "a reset connection": "reset",
  "a body that ends in its middle": "truncate",
  "half a body of the right length": (reply) => ({ ...reply, body: textOf(reply).slice(0, textOf(reply).length >> 1) }),
  "no body": (reply) => ({ status: reply.status }),
  "a body that is null": (reply) => ({ ...reply, body: "null" }),
  "a body that is a list": (reply) => ({ ...reply, body: [] }),
  "a body that is no JSON": (reply) => ({ ...reply, body: "<html>" }),
};

/** Runs `scenario` with no fault, then with each; returns what went wrong, one line each. Throws when the first run is not as expected. */
export async function runFaults(scenario: Scenario): Promise<{ count: number; wrong: string[] }> {
  const world = await scenario.world();
  const wrong: string[] = [];
  try {
    const exchanges = await plainRun(world, scenario);
    const faults = spread(faultsOf(exchanges, scenario));
    for (const broken of faults) {
      const code = await runWith(world, scenario, broken);
      if (outcomeOf(code) === "allow") wrong.push(`${broken.request}: ${broken.name}: ${code}`);
    }
    return { count: faults.length, wrong };
  } finally {
    await world.fake.close();
  }
}

type Started = Awaited<ReturnType<Scenario["world"]>>;

async function plainRun(world: Started, scenario: Scenario): Promise<Exchange[]> {
  const { code } = await new Desk(world).ask(scenario.asking);
  world.fake.expectClean();
  if (code !== scenario.expect) throw new Error(`${scenario.name}: expected ${scenario.expect}, was ${code}`);
  return [...world.fake.exchanges];
}

/** The code of an engine of its own, with empty caches. */
async function runWith(world: Started, scenario: Scenario, { request, fault }: Broken): Promise<Code> {
  world.fake.forget();
  world.fake.fault = (asked) => (keyOf(asked) === request ? fault : undefined);
  const desk = new Desk(world);
  const { code } = await desk.ask(scenario.asking);
  desk.engine.close();
  world.fake.fault = undefined;
  return code;
}

function keyOf({ method, host, path, query, body }: FakeRequest): string {
  return `${method} ${host}${path}?${query.toString()} ${body}`;
}

function faultsOf(exchanges: readonly Exchange[], scenario: Scenario): Broken[] {
  const seen = new Map(exchanges.map((exchange) => [keyOf(exchange.request), exchange]));
  return [...seen].flatMap(([request, { reply }]) => {
    // An empty list where there is a list is an answer of the vendor's.
    const fitting = Object.entries(WHOLE).filter(
      ([name]) => !(name === "a body that is a list" && Array.isArray(reply.body)),
    );
    const whole = fitting.map(([name, fault]) => ({ name, request, fault }));
    return [...whole, ...fieldFaults(request, reply, scenario)];
  });
}

/** Each field left out, null, and of every other type. */
function fieldFaults(request: string, { body }: FakeReply, { absent = {}, nullable = {} }: Scenario): Broken[] {
  return nodesOf(body).flatMap(({ path, value }) => {
    const name = nameOf(path);
    const mayBeNull = name in absent || name in nullable;
    const gone = name in absent ? [] : [{ what: "left out", to: undefined }];
    const empty = mayBeNull ? [] : [{ what: "null", to: null }];
    const others = [1, "x", true, [], {}].filter(
      (one) => kindOf(one) !== kindOf(value) && !(mayBeNull && isEmpty(one)),
    );
    const changes = [...gone, ...empty, ...others.map((to) => ({ what: `a ${kindOf(to)}`, to }))];
    return changes.map(({ what, to }) => ({ name: `${name} ${what}`, request, fault: setting(path, to) }));
  });
}

function setting(path: readonly string[], to: unknown): Fault {
  return (reply) => ({ ...reply, body: set(reply.body, path, to) });
}

/** `data.users[].email`: any index is []. */
function nameOf(path: readonly string[]): string {
  return path
    .map((step) => (/^\d+$/.test(step) ? "[]" : step))
    .join(".")
    .replaceAll(".[]", "[]");
}

interface Node {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Every value below `body`; of a list the first two items stand for all. */
function nodesOf(body: unknown, path: readonly string[] = []): Node[] {
  if (typeof body !== "object" || body === null) return [];
  const entries = Object.entries(body).slice(0, Array.isArray(body) ? 2 : undefined);
  return entries.flatMap(([key, value]) => [{ path: [...path, key], value }, ...nodesOf(value, [...path, key])]);
}

function set(body: unknown, [step = "", ...rest]: readonly string[], value: unknown): unknown {
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) }) as Record<string, unknown>;
  if (rest.length > 0) copy[step] = set(copy[step], rest, value);
  else if (value !== undefined) copy[step] = value;
  else if (Array.isArray(copy)) copy.splice(Number(step), 1, null);
  else delete copy[step];
  return copy;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "bigint" ? "number" : typeof value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function textOf({ body }: FakeReply): string {
  return typeof body === "string"
    ? body
    : body === undefined
      ? ""
      : JSON.stringify(body, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
}

function spread(faults: readonly Broken[]): readonly Broken[] {
  if (faults.length <= MOST) return faults;
  return Array.from({ length: MOST }, (_, index) => faults[Math.floor((index * faults.length) / MOST)] as Broken);
}
