import { describe, expect, test } from "bun:test";
import { builtinRules, implicitRules, type ImplicitContext } from "./builtin.ts";
import { openDisk } from "./disk.ts";
import { explain } from "./explain.ts";
import { diskOf, PLACES, rulesOf } from "./fixture.ts";
import { follow } from "./links.ts";
import type { Category, PlacedRule } from "./rule.ts";

const own = {
  config: "/home/me/.config/hallpass",
  state: "/home/me/.local/state/hallpass",
  runtime: "/run/user/1000/hallpass",
  program: ["/opt/hallpass"],
};
const context = { ...PLACES, disk: diskOf(), path: ["/usr/bin"], project: "/work/app", tmpdir: "/tmp/hallpass-1", own };

function rulesWith(options: Partial<ImplicitContext> = {}, ...lines: readonly string[]): PlacedRule[] {
  return [...builtinRules(context), ...implicitRules({ ...context, ...options }), ...rulesOf(...lines)];
}

function verdicts(rules: readonly PlacedRule[], category: Category, paths: readonly string[]): string[] {
  return paths.map((path) => `${explain(rules, category, path).verdict} ${path}`);
}

describe("what is written without asking", () => {
  const allowed = [
    "/work/app",
    "/work/app/src/x.c",
    "/work/app/.git/index.lock",
    "/work/app/.git/refs/heads/main",
    "/work/app/.git/hooks",
    "/work/app/.git/hooks/pre-commit.sample",
    "/work/app/vendor/lib/.git/hooks/update.sample",
    "/work/app/.git/modules/sub/hooks/update.sample",
    "/work/app/.vscode/extensions.json",
    "/work/app/.claude/worktrees/x/file.c",
    "/work/app/.claude/worktrees",
    "/work/app/.github/dependabot.yml",
    "/work/app/node_modules/x/.github/workflows/ci.yml",
    "/work/app/node_modules/x/.vscode/settings.json",
    "/work/app/CLAUDE.md",
    "/tmp/hallpass-1/x",
    "/dev/null",
    "/dev/urandom",
    "/home/me/.bash_history",
    "/home/me/.viminfo",
    "/home/me/.viminfo.tmp",
    "/home/me/.lesshst",
    "/home/me/.python_history",
  ];
  const asked = [
    "/work/other",
    "/home/me/.bashrc",
    "/home/me/.ssh/authorized_keys",
    "/tmp/x",
    "/dev/sda",
    "/work/app/.git/hooks/post-commit",
    "/work/app/vendor/lib/.git/hooks/post-checkout",
    "/work/app/.git/modules/a/b/hooks/pre-push",
    "/work/app/.git/config",
    "/work/app/sub/.git/config",
    "/work/app/.git/modules/a/config",
    "/work/app/.envrc",
    "/work/app/deep/down/.envrc",
    "/work/app/.vscode/tasks.json",
    "/work/app/.vscode/settings.json",
    "/work/app/.idea/runConfigurations/x.xml",
    "/work/app/.claude/settings.json",
    "/work/app/.claude/hooks/x.sh",
    "/work/app/.codex/config.toml",
    "/work/app/.cursor/mcp.json",
    "/work/app/.gemini/settings.json",
    "/work/app/.gemini/.env",
    "/work/app/.mcp.json",
    "/work/app/.github/workflows/ci.yml",
    "/work/app/.husky/_/pre-commit",
    "/work/app/.pre-commit-config.yaml",
    "/work/app/.devcontainer/devcontainer.json",
  ];
  const denied = [
    "/home/me/.config/hallpass",
    "/home/me/.config/hallpass/rules",
    "/home/me/.local/state/hallpass/x.jsonl",
    "/run/user/1000/hallpass/1.sock",
    "/opt/hallpass/build/policy.wasm",
  ];

  test("is the project, TMPDIR, harmless devices and histories", () => {
    expect(verdicts(rulesWith(), "write", allowed)).toEqual(allowed.map((path) => `allow ${path}`));
  });

  test("is not what runs later, nor anything else", () => {
    expect(verdicts(rulesWith(), "write", asked)).toEqual(asked.map((path) => `ask ${path}`));
  });

  test("is never hallpass's own, whatever a rule says", () => {
    const rules = rulesWith({}, "allow write /**");
    expect(verdicts(rules, "write", denied)).toEqual(denied.map((path) => `deny ${path}`));
    expect(verdicts(rules, "write", ["/home/me/.config"])).toEqual(["allow /home/me/.config"]);
  });

  test("is nothing with --no-implicit", () => {
    const rules = rulesWith({ noImplicit: true });
    expect(new Set(verdicts(rules, "write", allowed).map((line) => line.split(" ")[0]))).toEqual(new Set(["ask"]));
    expect(verdicts(rules, "write", denied)).toEqual(denied.map((path) => `deny ${path}`));
  });

  test("is a device's content and not its name", () => {
    expect(explain(rulesWith(), "write", "/dev/null", true).verdict).toBe("ask");
    expect(explain(rulesWith(), "write", "/home/me/.viminfo", true).verdict).toBe("allow");
  });

  test("is not what a history leads to when it is a link, which an earlier session may have made", () => {
    const disk = diskOf("/home/me/.bash_history -> .bashrc", "/home/me/.zsh_history.new -> .zshrc");
    const rules = implicitRules({ ...context, disk });
    expect(verdicts(rules, "write", ["/home/me/.bashrc", "/home/me/.zshrc"])).toEqual([
      "ask /home/me/.bashrc",
      "ask /home/me/.zshrc",
    ]);
  });

  test("--deny-path holds against a rule", () => {
    const rules = [
      ...builtinRules({ ...context, denyPaths: ["/work/app/secret"] }),
      ...implicitRules(context),
      ...rulesOf("allow write /work/app/secret/**"),
    ];
    expect(explain(rules, "write", "/work/app/secret/x")).toMatchObject({
      verdict: "deny",
      rule: { tier: 0, origin: { kind: "flag" } },
    });
  });

  test("a rule switches a guard off, and only a git configuration is judged by what it says", () => {
    expect(explain(rulesWith({}, "allow write .envrc"), "write", "/work/app/.envrc").verdict).toBe("allow");
    expect(explain(rulesWith(), "write", "/work/app/.git/config")).toMatchObject({
      isContent: true,
      rule: { origin: { group: "git-config" } },
    });
    expect(explain(rulesWith(), "write", "/work/app/.envrc")).toMatchObject({
      isContent: false,
      rule: { origin: { group: "runs-later" } },
    });
  });

  test("the roots of repositories in the project and a hooksPath are guarded", () => {
    const rules = rulesWith({ roots: ["/work/app/sub"], hookFolders: ["/work/app/tools/hooks"] });
    const paths = [
      "/work/app/sub/.vscode/tasks.json",
      "/work/app/.vscode/tasks.json",
      "/work/app/tools/hooks/pre-push",
    ];
    expect(verdicts(rules, "write", paths)).toEqual(paths.map((path) => `ask ${path}`));
  });
});

describe("what is read and reached", () => {
  test("secrets are asked only where --secrets is on", () => {
    const paths = ["/home/me/.ssh/id_ed25519", "/home/me/.aws/credentials", "/work/app/.env"];
    expect(verdicts(rulesWith(), "read", paths)).toEqual(paths.map((path) => `allow ${path}`));
    expect(verdicts(rulesWith({ secrets: true }), "read", paths)).toEqual(paths.map((path) => `ask ${path}`));
    expect(verdicts(rulesWith({ secrets: true }), "read", ["/home/me/.ssh/id_x.pub", "/work/app/x.c"])).toEqual([
      "ask /home/me/.ssh/id_x.pub",
      "allow /work/app/x.c",
    ]);
  });

  test("services ask and say what they can do, quiet sockets do not, hallpass's own refuse", () => {
    const rules = rulesWith();
    expect(explain(rules, "connect", "unix:/run/docker.sock")).toMatchObject({
      verdict: "ask",
      rule: { note: "docker: can run anything as root on this machine" },
    });
    for (const dest of [
      "unix:/run/user/1000/bus",
      "unix:/tmp/ssh-x/agent.1",
      "unix:@/tmp/.X11-unix/X0",
      "unix:/run/user/1000/wayland-0",
      "unix:/tmp/tmux-0/default",
      "unix:/elsewhere",
    ]) {
      expect([dest, explain(rules, "connect", dest).verdict]).toEqual([dest, "ask"]);
    }
    for (const dest of ["unix:/dev/log", "unix:/run/systemd/journal/socket", "unix:/run/nscd/socket"]) {
      expect([dest, explain(rules, "connect", dest).verdict]).toEqual([dest, "allow"]);
    }
    expect(explain(rules, "connect", "unix:/run/user/1000/hallpass/9.sock").verdict).toBe("deny");
  });
});

describe("what runs without asking on this machine", () => {
  const disk = openDisk();
  const path = (process.env.PATH ?? "").split(":");
  const rules = implicitRules({ ...context, home: process.env.HOME ?? "/root", disk, path });
  const real = (program: string) => follow(program, disk).path;
  const isThere = (program: string) => Bun.file(real(program)).size > 0;

  const common = [
    "bash",
    "sh",
    "ls",
    "cat",
    "env",
    "git",
    "gcc",
    "cc",
    "as",
    "ld",
    "make",
    "python3",
    "perl",
    "node",
    "npm",
    "vim",
    "vi",
    "tmux",
    "less",
    "awk",
    "sed",
    "grep",
    "tar",
    "which",
    "editor",
    "pager",
    "pkg-config",
    "top",
    "xargs",
  ];
  const asking = [
    "curl",
    "wget",
    "ssh",
    "scp",
    "sudo",
    "su",
    "nc",
    "crontab",
    "at",
    "systemd-run",
    "systemctl",
    "docker",
    "dbus-send",
    "gpg",
    "openssl",
    "mount",
    "unshare",
    "chroot",
    "bwrap",
    "apt-get",
    "dpkg",
  ];
  const there = (names: readonly string[]) =>
    names.flatMap((name) => path.concat("/usr/bin", "/usr/sbin").map((folder) => `${folder}/${name}`)).filter(isThere);

  test("is what a first session uses", () => {
    const programs = there(common);
    expect(programs.length).toBeGreaterThan(15);
    expect(programs.filter((program) => explain(rules, "exec", real(program)).verdict !== "allow")).toEqual([]);
  });

  test("is not what reaches other machines, acts outside the sandbox or later", () => {
    expect(there(asking).filter((program) => explain(rules, "exec", real(program)).verdict !== "ask")).toEqual([]);
  });

  test("holds what compilers and git run", () => {
    const inner = [
      ...new Bun.Glob("/usr/lib/gcc/*/*/{cc1,cc1plus,collect2,lto1}").scanSync({ cwd: "/" }),
      ...new Bun.Glob("/usr/lib/git-core/git-*").scanSync({ cwd: "/" }),
    ];
    expect(
      inner.filter((program) => explain(rules, "exec", real(`/${program.replace(/^\//, "")}`)).verdict !== "allow"),
    ).toEqual([]);
  });

  test("is known to come from a group, so that a program which the sandbox can write is asked", () => {
    expect(explain(rules, "exec", real("/bin/sh")).isNamed).toBe(true);
    const command = implicitRules({ ...context, disk, path, command: ["/work/app/run"] });
    expect(explain(command, "exec", "/work/app/run")).toMatchObject({ verdict: "allow", isNamed: false });
  });
});
