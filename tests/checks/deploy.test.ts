/** What is shipped for servers works: the bundle of the image, and the documents that name it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfigText } from "../../src/checks/config/config.ts";
import { SERVER_KEYS } from "../../src/checks/config/server.ts";
import { INTEGRATIONS } from "../../src/checks/integrations/index.ts";
import { fenced, markdownFiles, read } from "../support/docs.ts";
import { run } from "../support/hallpass.ts";
import { tree } from "../support/tree.ts";

const folder = mkdtempSync(join(tmpdir(), "hallpass-deploy-"));
const quickstart = fenced(read("docs/checks/quickstart.md"), "yaml")[0] ?? "";
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const made = await run(["make", "-s", "build/server/main.js"], { cwd: tree });
  expect([made.status, made.stderr]).toEqual([0, ""]);
});

test("the bundle answers a check by itself, with no environment and nothing around it", async () => {
  const config = join(folder, "hallpass.yaml");
  writeFileSync(config, quickstart);
  const bun = join(tree, "build/server/bun");
  const flags = ["--no-install", "--no-env-file", join(tree, "build/server/main.js")];
  const words = "check -connection things -user ann@example.com -action thing.write -resource thing:1 -config".split(
    " ",
  );
  const ended = await run([bun, ...flags, ...words, config], { cwd: "/", env: {} });
  expect(ended).toEqual({ status: 0, stdout: "allow\n  allowed: admins may write 1\n", stderr: "" });
});

test("the quickstart's file, and the chart's, are in order", () => {
  const values = read("deploy/helm/hallpass/values.yaml");
  const chart = (/^config: \|\n((?: {2}.*\n)+)/m.exec(values)?.[1] ?? "").replace(/^ {2}/gm, "");
  for (const text of [quickstart, chart])
    expect(loadConfigText(text, "file", INTEGRATIONS).connections).toHaveLength(1);
});

test("the table has every system, and links every page that there is", () => {
  const table = read("docs/checks/README.md");
  const pages = markdownFiles().flatMap((file) => /^docs\/checks\/(\w+)\.md$/.exec(file)?.[1] ?? []);
  for (const name of INTEGRATIONS.keys()) {
    expect(table).toContain(`| \`${name}\` |`);
    if (pages.includes(name)) expect(table).toContain(`[${name}.md](${name}.md)`);
  }
});

test("the server's page has every key and route", () => {
  const page = read("docs/checks/server.md");
  for (const key of SERVER_KEYS) expect(page).toContain(`\`${key}\``);
  for (const route of ["/check", "/check/batch", "/healthz", "/metrics"]) expect(page).toContain(`${route}\``);
});
