import { describe, expect, test } from "bun:test";
import { widerTargets, type WiderContext } from "./wider.ts";

const context: WiderContext = { home: "/home/me", project: "/work/app", tmpdir: "/tmp/hp", variables: {} };

function write(path: string, more: Partial<WiderContext> = {}): { targets: readonly string[]; proposed: string } {
  const { targets, index } = widerTargets("write", path, { ...context, ...more });
  return { targets, proposed: targets[index]! };
}

describe("what is proposed for a write", () => {
  const cases: readonly [path: string, proposed: string][] = [
    ["/home/me/.npm/_cacache/tmp/x", "/home/me/.npm/**"],
    ["/home/me/.cache/pip/http/a/b/c", "/home/me/.cache/pip/**"],
    ["/home/me/.cache/sometool/deep/x", "/home/me/.cache/sometool/**"],
    ["/home/me/.cache/x", "/home/me/.cache/**"],
    ["/home/me/.cargo/registry/index/x", "/home/me/.cargo/{{registry,git}/**,.package-cache*,.global-cache*}"],
    ["/home/me/.cargo/.package-cache", "/home/me/.cargo/{{registry,git}/**,.package-cache*,.global-cache*}"],
    ["/home/me/.cargo/bin/x", "/home/me/.cargo/bin/x"],
    ["/home/me/.cargo/config.toml", "/home/me/.cargo/config.toml"],
    ["/home/me/go/pkg/mod/cache/x", "/home/me/go/pkg/mod/**"],
    ["/home/me/go/pkg/sumdb/x", "/home/me/go/pkg/**"],
    [
      "/home/me/.gradle/caches/8/x",
      "/home/me/.gradle/{caches,daemon,native,wrapper,notifications,.tmp,jdks,kotlin}/**",
    ],
    ["/home/me/.config/sometool/x.json", "/home/me/.config/sometool/**"],
    ["/home/me/.config/autostart/x.desktop", "/home/me/.config/autostart/x.desktop"],
    ["/home/me/.config/x", "/home/me/.config/x"],
    ["/home/me/.sometool/a/b", "/home/me/.sometool/**"],
    ["/home/me/.vim/plugin/x.vim", "/home/me/.vim/plugin/x.vim"],
    ["/home/me/.local/bin/x", "/home/me/.local/bin/x"],
    ["/home/me/.bashrc", "/home/me/.bashrc"],
    ["/home/me/.ssh/known_hosts", "/home/me/.ssh/known_hosts"],
    ["/home/me/notes/2024/x.md", "/home/me/notes/2024/**"],
    ["/home/me/x", "/home/me/x"],
    ["/etc/hosts", "/etc/hosts"],
    ["/usr/local/x", "/usr/local/x"],
    ["/tmp/foo/bar", "/tmp/foo/**"],
    ["/data/[x]/y", "/data/\\[x\\]/**"],
    ["/work/app/.envrc", "/work/app/.envrc"],
    ["/work/app/.husky/_/pre-commit", "/work/app/.husky/_/pre-commit"],
  ];
  for (const [path, proposed] of cases) test(`${path}: ${proposed}`, () => expect(write(path).proposed).toBe(proposed));

  test("follows what the tools are told by the environment", () => {
    const variables = {
      npm_config_cache: "/data/npm",
      CARGO_HOME: "/data/cargo/",
      GOPATH: "/data/go",
      PIP_CACHE_DIR: "relative",
      XDG_CACHE_HOME: "/data/cache",
    };
    expect(write("/data/npm/_cacache/x", { variables }).proposed).toBe("/data/npm/**");
    expect(write("/data/cargo/git/x", { variables }).proposed).toBe(
      "/data/cargo/{{registry,git}/**,.package-cache*,.global-cache*}",
    );
    expect(write("/data/go/pkg/sumdb/x", { variables }).proposed).toBe("/data/go/pkg/**");
    expect(write("/data/cache/tool/x/y", { variables }).proposed).toBe("/data/cache/tool/**");
    expect(write("/home/me/.cache/pip/x/y", { variables }).proposed).toBe("/home/me/.cache/pip/**");
  });

  test("never follows them to the home, a folder of keys or the root", () => {
    for (const folder of ["/", "/home/me", "/home", "/home/me/.ssh", "/home/me/.config", "/etc"]) {
      const { targets } = write("/home/me/.ssh/a/b", { variables: { npm_config_cache: folder } });
      expect([folder, targets]).toEqual([folder, ["/home/me/.ssh/a/b"]]);
    }
  });

  test("goes from narrow to wide and stops before what must not be opened", () => {
    expect(write("/home/me/.npm/_cacache/tmp/x").targets).toEqual([
      "/home/me/.npm/_cacache/tmp/x",
      "/home/me/.npm/_cacache/tmp/**",
      "/home/me/.npm/_cacache/**",
      "/home/me/.npm/**",
    ]);
    expect(write("/home/me/.cache/pip/a/x").targets.at(-1)).toBe("/home/me/.cache/**");
    expect(write("/work/app/.husky/_/x").targets).toEqual([
      "/work/app/.husky/_/x",
      "/work/app/.husky/_/**",
      "/work/app/.husky/**",
    ]);
  });

  test("in a git directory of the project is what git writes, not its hooks and configuration", () => {
    const gitDirs = ["/src/repo/.git"];
    const first = write("/src/repo/.git/worktrees/app/index.lock", { gitDirs });
    expect(first.proposed).toStartWith("/src/repo/.git/{{objects,refs,");
    for (const name of [
      "objects/ab/cd",
      "refs/heads/x",
      "HEAD.lock",
      "index",
      "packed-refs.lock",
      "logs/HEAD",
      "COMMIT_EDITMSG",
    ]) {
      expect([name, write(`/src/repo/.git/${name}`, { gitDirs }).proposed]).toEqual([name, first.proposed]);
    }
    for (const name of ["hooks/post-commit", "config", "config.lock", "modules/x/hooks/y"]) {
      expect([name, write(`/src/repo/.git/${name}`, { gitDirs }).targets]).toEqual([name, [`/src/repo/.git/${name}`]]);
    }
  });
});

describe("what is proposed for a program, a destination and a read", () => {
  test("the project's own programs are one target", () => {
    const { targets, index } = widerTargets("exec", "/work/app/node_modules/.bin/x", context);
    expect(targets[index]).toBe("/work/app/**");
    expect(widerTargets("exec", "/usr/bin/curl", context)).toEqual({ targets: ["/usr/bin/curl"], index: 0 });
  });

  test("an address, its other ports, other addresses at its port", () => {
    expect(widerTargets("connect", "tcp:1.2.3.4:443", context)).toEqual({
      targets: ["tcp:1.2.3.4:443", "1.2.3.4", "tcp:*:443"],
      index: 0,
    });
    expect(widerTargets("connect", "unix:/run/docker.sock", context)).toEqual({
      targets: ["unix:/run/docker.sock"],
      index: 0,
    });
  });

  test("one secret is not its neighbours", () => {
    expect(widerTargets("read", "/data/a/.env", context).index).toBe(0);
  });
});
