/** The import fences of STYLE §2 hold: each forbidden import is flagged by the linter, and each allowed one is not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { run } from "../support/hallpass.ts";
import { tree } from "../support/tree.ts";

/** A file of each folder that others could import. */
const TARGETS = {
  policy: "src/policy/rule.ts",
  session: "src/session/state.ts",
  supervisor: "src/supervisor/launch.ts",
  relay: "src/relay/index.ts",
  control: "src/control/server.ts",
  messages: "src/control/messages.ts",
  clients: "src/clients/answer.ts",
  audit: "src/audit/log.ts",
  cli: "src/cli/answer.ts",
  checks: "src/checks/engine.ts",
  main: "src/main.ts",
  ffi: "ffi/seccomp.ts",
  "policy-wasm": "policy-wasm/host.ts",
  tui: "tui/app.ts",
  web: "web/server.ts",
} as const;

type Folder = keyof typeof TARGETS;

const PACKAGES = ["bun:ffi", "@opentui/core"] as const;

/** Where an importing file of a folder lies, and all that it may import of ours; everything else is behind a fence. */
const ALLOWED: Record<string, { from: string; ours: readonly Folder[]; packages?: readonly string[] }> = {
  policy: { from: "src/policy/x.ts", ours: [] },
  session: { from: "src/session/x.ts", ours: ["policy"] },
  supervisor: { from: "src/supervisor/handlers/x.ts", ours: ["policy", "session", "ffi", "policy-wasm"] },
  relay: {
    from: "src/relay/x.ts",
    ours: ["policy", "session", "messages", "ffi", "policy-wasm"],
    packages: ["@opentui/core"],
  },
  control: { from: "src/control/x.ts", ours: ["policy", "session", "messages", "ffi", "policy-wasm"] },
  audit: { from: "src/audit/x.ts", ours: ["policy", "session", "ffi"] },
  clients: { from: "src/clients/x.ts", ours: ["policy", "session", "control", "messages", "tui", "web"] },
  checks: { from: "src/checks/deep/x.ts", ours: ["policy", "session", "control", "messages", "web"] },
  ffi: { from: "ffi/x.ts", ours: [], packages: ["bun:ffi"] },
  "policy-wasm": { from: "policy-wasm/x.ts", ours: [] },
  tui: {
    from: "tui/views/x.ts",
    ours: ["policy", "session", "control", "messages", "clients", "web"],
    packages: ["@opentui/core"],
  },
  web: {
    from: "web/routes/x.ts",
    ours: ["policy", "session", "control", "messages", "clients", "tui"],
  },
  cli: { from: "src/cli/x.ts", ours: Object.keys(TARGETS) as Folder[] },
};

let copy = "";

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "hallpass-fences-"));
  for (const file of [".oxlintrc.json", "tsconfig.json", "package.json"]) cpSync(join(tree, file), join(copy, file));
  symlinkSync(join(tree, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

interface Finding {
  readonly code: string;
  readonly filename: string;
  readonly message: string;
}

async function lint(): Promise<Finding[]> {
  const { stdout, stderr } = await run([join(tree, "node_modules/.bin/oxlint"), "-f", "json"], { cwd: copy });
  try {
    return (JSON.parse(stdout) as { diagnostics: Finding[] }).diagnostics;
  } catch (error) {
    throw new Error(`oxlint: ${stdout}${stderr}`, { cause: error });
  }
}

/** The imports of one file that the linter refuses. */
async function refused(from: string, imports: readonly string[]): Promise<string[]> {
  for (const file of Object.values(TARGETS)) put(file, "export const value = 1;\n");
  put(
    from,
    imports.map((name, i) => `import { value as v${i} } from "${name}";\nexport const w${i} = v${i};\n`).join(""),
  );
  const fences = (await lint()).filter((found) => found.code.includes("no-restricted-imports"));
  rmSync(join(copy, from));
  return imports.filter((name) => fences.some((found) => found.message.includes(`'${name}'`)));
}

function specifier(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

describe.each(Object.keys(ALLOWED))("%s", (folder) => {
  const { from, ours, packages = [] } = ALLOWED[folder] ?? { from: "", ours: [] };
  const others = (Object.keys(TARGETS) as Folder[]).filter(
    (name) => name !== folder && !(folder === "control" && name === "messages"),
  );

  test("is refused every import that is not its own to make, and no other", async () => {
    const imports = [...others.map((name) => specifier(from, TARGETS[name])), ...PACKAGES];
    const expected = [
      ...others.filter((name) => !ours.includes(name)).map((name) => specifier(from, TARGETS[name])),
      ...PACKAGES.filter((name) => !packages.includes(name)),
    ];
    expect(await refused(from, imports)).toEqual(expected);
  });
});

test("types of the protocol may be imported where its code may not", async () => {
  put("src/control/messages.ts", "export interface Message { readonly type: string }\n");
  put("src/session/y.ts", 'import type { Message } from "../control/messages.ts";\nexport type Mine = Message;\n');
  put("policy-wasm/y.ts", 'import type { Message } from "../src/policy/rule.ts";\nexport type Mine = Message;\n');
  const found = await lint();
  expect(found.filter(({ filename }) => filename.endsWith("/y.ts"))).toEqual([]);
  for (const file of ["src/session/y.ts", "policy-wasm/y.ts"]) rmSync(join(copy, file));
});

test("two files that import each other are flagged", async () => {
  put("src/session/one.ts", 'import { two } from "./two.ts";\nexport const one = (): number => two();\n');
  put("src/session/two.ts", 'import { one } from "./one.ts";\nexport const two = (): number => one();\n');
  expect((await lint()).map(({ code }) => code)).toContain("import(no-cycle)");
});
