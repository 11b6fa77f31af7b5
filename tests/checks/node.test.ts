/** The library runs on Node: the engine, HTTP, TLS and a proxy-free way to a server, built for Node and asked there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Glob } from "bun";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { makeAuthority } from "./support/certificates.ts";

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "hallpass-node-"));
const node = Bun.which("node");
const authority = makeAuthority();
afterAll(() => (rmSync(folder, { recursive: true }), authority[Symbol.dispose]()));

beforeAll(async () => {
  const entry = join(root, "tests/checks/support/node-entry.ts");
  const built = await Bun.build({ entrypoints: [entry], target: "node", outdir: folder, naming: "entry.mjs" });
  expect(built.success).toBe(true);
});

test("nothing in the library names Bun", () => {
  for (const file of new Glob("src/checks/**/*.ts").scanSync({ cwd: root })) {
    const source = readFileSync(join(root, file), "utf8");
    expect([file, /\bBun\.|from "bun|import\("bun/.test(source)]).toEqual([file, false]);
  }
});

test.skipIf(node === null)("a check over TLS is answered on Node", async () => {
  const server = createServer(authority.issue("DNS:localhost"), (request, response) => {
    request.resume();
    response.writeHead(201, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: { allowed: request.headers.authorization === "Bearer token" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const config = [
    "decision_log: none",
    "connections:",
    "  - id: k",
    "    integration: kubernetes",
    `    url: https://localhost:${port}`,
    "    credential: env:TOKEN",
    `    ca_file: ${authority.caFile}`,
  ];
  writeFileSync(join(folder, "hallpass.yaml"), config.join("\n"));
  const child = Bun.spawn([node ?? "", join(folder, "entry.mjs"), join(folder, "hallpass.yaml")], {
    env: { TOKEN: "token" },
    stderr: "inherit",
  });
  expect((await new Response(child.stdout).text()).trim()).toBe("allow allowed: the cluster's authorizer allows it");
  expect(await child.exited).toBe(0);
  server.closeAllConnections();
  server.close();
});
