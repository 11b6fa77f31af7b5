/** The fault tests find what they are for: integrations with holes, fakes with holes. */
import { afterEach, describe, expect, test } from "bun:test";
import { allowed, denied } from "../../src/checks/codes.ts";
import { key, type ConfigOf } from "../../src/checks/config/keys.ts";
import { defineIntegration, type Connection, type Parts } from "../../src/checks/integration.ts";
import { INTEGRATIONS } from "../../src/checks/integrations/index.ts";
import { flag, list, record, text } from "../../src/checks/shared/fields.ts";
import { CANARY, Desk, type World } from "./support/desk.ts";
import { FakeServer } from "./support/fake-server.ts";
import { runFaults } from "./support/faults.ts";
import type { Scenario } from "./support/scenario.ts";

const registry = INTEGRATIONS as Map<string, unknown>;
afterEach(() => registry.delete("holed"));

const keys = { url: key.url({ about: "where", required: true }) };
type Reading = (api: ReturnType<Parts["api"]>, call: Parameters<Connection["decide"]>[2]) => Promise<boolean>;

/** An integration that allows what `reads` says, of a system that bans. */
function install(reads: Reading): void {
  const connect = ({ url }: ConfigOf<typeof keys>, parts: Parts): Connection => {
    const api = parts.api({ base: url });
    return {
      prepare: () => undefined,
      identify: async () => ({}),
      decide: async (_identity, _ask, call) => ((await reads(api, call)) ? allowed() : denied(CANARY)),
      probe: async () => ({ summary: "", warnings: [] }),
    };
  };
  registry.set(
    "holed",
    defineIntegration({
      name: "holed",
      about: "",
      keys,
      actions: [{ name: "do", resources: ["thing"], about: "" }],
      connect,
    }),
  );
}

async function world(): Promise<World> {
  const fake = await FakeServer.start([
    { on: "GET /bans", answer: () => ({ status: 200, body: { banned: true, by: ["root"] } }) },
  ]);
  return { fake, connections: [{ id: "h", integration: "holed", url: fake.url }] };
}

const asking = { user: "dana@example.com", action: "do", resource: "thing:1" };
const scenario: Scenario = { name: "a ban", world, asking, expect: "denied" };

const Bans = record({ banned: flag, by: list(text) });

describe("the fault tests", () => {
  test("find a ban that is lost with its field", async () => {
    install(async (api, call) => !(await api.read(Bans, call, "/bans")).banned);
    const { wrong } = await runFaults(scenario);
    expect(wrong.join("\n")).toContain("banned left out: allowed");
    expect(wrong.join("\n")).toContain("banned null: allowed");
  });
  test("find a failure that is taken for a yes", async () => {
    install(async (api, call) => (await api.get(call, "/bans", { expect: [500] })).status === 500);
    expect((await runFaults(scenario)).wrong.join("\n")).toContain("status 500: allowed");
  });
  test("find a broken connection that is taken for a yes", async () => {
    install(
      async (api, call) =>
        await api.get(call, "/bans").then(
          () => false,
          () => true,
        ),
    );
    const { wrong } = await runFaults(scenario);
    // "no answer" is not among them: the engine's own deadline ends that check whatever the integration makes of it.
    for (const fault of ["a reset connection", "a body that ends in its middle"])
      expect(wrong.join("\n")).toContain(`${fault}: allowed`);
  });
  test("find a wrong type that is taken for a yes", async () => {
    install(async (api, call) => {
      const { banned } = (await api.get(call, "/bans")).peek(record({ banned: flag })) ?? { banned: false };
      return !banned;
    });
    expect((await runFaults(scenario)).wrong.join("\n")).toContain("banned a string: allowed");
  });
  test("leave out a field whose absence is the vendor's way to say something", async () => {
    install(async (api, call) => !(await api.read(Bans, call, "/bans")).banned);
    const { wrong } = await runFaults({
      ...scenario,
      absent: { banned: "the vendor leaves it out for those who are not" },
    });
    expect(wrong.join("\n")).not.toContain("banned left out");
  });
  test("say so when a scenario is not as expected", async () => {
    install(async () => true);
    expect(runFaults(scenario)).rejects.toThrow("expected denied, was allowed");
  });
});

describe("a desk", () => {
  test("fails at its end when a request was made that the fake does not describe", async () => {
    install(
      async (api, call) =>
        await api.get(call, "/other").then(
          () => true,
          () => false,
        ),
    );
    const desk = new Desk(await world());
    expect(await desk.ask({ ...asking })).toMatchObject({ decision: "deny" });
    expect(desk.close()).rejects.toThrow("GET 127.0.0.1");
  });
  test("fails at its end when a secret or a vendor's words were written out", async () => {
    install(async (api, call) => !(await api.read(Bans, call, "/bans")).banned);
    const desk = new Desk(await world());
    await desk.ask(asking);
    expect(desk.close()).rejects.toThrow("a secret or a vendor's words");
  });
});
