/** File systems that never answer hold up nobody but who asks them. */
import { expect } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { needs, root } from "../support/needs.ts";
import { makePlaces } from "../support/places.ts";
import { supervise } from "../support/supervised.ts";
import { waitFor } from "../support/wait.ts";
import { buildTarget } from "./support/targets.ts";

needs(root())(
  "a dead file server holds up nobody else, and its callers can be killed",
  async () => {
    using places = makePlaces();
    const dead = `${places.project}/dead`;
    mkdirSync(dead);
    const server = Bun.spawn([buildTarget("dead_fuse"), dead], { stdout: "pipe", stderr: "inherit" });
    try {
      const said = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
      expect((await said.read()).value).toBe("ready\n");
      const script = [
        "for i in 1 2 3; do (echo x > dead/file) & done",
        "sleep 0.2; i=0; while [ $i -lt 50 ]; do echo $i > other; mv other another; i=$((i+1)); done",
        "echo > ready; kill -9 $(jobs -p); wait; echo > end",
      ].join("\n");
      const run = await supervise(["bash", "-c", script], { project: places.project, rules: ["allow exec /**"] });
      await waitFor("the others", () => existsSync(`${places.project}/ready`));
      server.kill("SIGKILL");
      await waitFor("the end", () => existsSync(`${places.project}/end`));
      expect(await run.ended).toBe(0);
      run.supervisor.close();
    } finally {
      server.kill("SIGKILL");
      await server.exited;
      Bun.spawnSync(["umount", "-l", dead]);
    }
  },
  60_000,
);
