/** Running the driver (driver.ts) as hallpass would run: from the starter, as root or as a user. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { tree } from "../../support/tree.ts";
import { asUser, give, type User } from "../../support/user.ts";
import { waitFor } from "../../support/wait.ts";
import type { DriverOptions } from "./driver.ts";

export interface Event {
  readonly event: string;
  readonly [key: string]: unknown;
}

/** A folder with a starter whose `src/main.ts` is the driver, and a scratch folder that `user` owns. */
export class Driven implements Disposable {
  readonly root = mkdtempSync("/var/tmp/hallpass-driven-");
  readonly scratch = join(this.root, "scratch");
  readonly events = join(this.scratch, "events");
  readonly program = join(this.root, "build", "hallpass");

  constructor(
    readonly user?: User,
    starter = join(tree, "build", "hallpass"),
  ) {
    for (const folder of ["build", "src", ".tools/bin", "scratch"]) {
      mkdirSync(join(this.root, folder), { recursive: true });
    }
    chmodSync(this.root, 0o755);
    copyFileSync(starter, this.program);
    chmodSync(this.program, 0o755);
    symlinkSync(join(tree, ".tools", "bin", "bun"), join(this.root, ".tools", "bin", "bun"));
    const driver = join(tree, "tests", "kernel", "support", "driver.ts");
    writeFileSync(join(this.root, "src", "main.ts"), `import ${JSON.stringify(driver)};\n`);
    symlinkSync(join(tree, "tsconfig.json"), join(this.root, "tsconfig.json"));
    if (user) give(this.scratch, user);
  }

  /** The words that run it, and the environment that tells it what to do. */
  command(options: Omit<DriverOptions, "events">): { words: string[]; env: Record<string, string> } {
    rmSync(this.events, { force: true });
    const driver = JSON.stringify({ ...options, events: this.events } satisfies DriverOptions);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", HALLPASS_DRIVER: driver };
    return { words: [...(this.user ? asUser(this.user) : []), this.program], env };
  }

  spawn(
    options: Omit<DriverOptions, "events">,
    more: Partial<Bun.SpawnOptions.OptionsObject<"pipe", "pipe", "pipe">> = {},
  ) {
    const { words, env } = this.command(options);
    return Bun.spawn(words, { cwd: this.scratch, stdin: "pipe", stdout: "pipe", stderr: "pipe", env, ...more });
  }

  /** Runs it to the end. */
  async run(
    options: Omit<DriverOptions, "events">,
  ): Promise<{ status: number; stdout: string; stderr: string; events: Event[] }> {
    const child = this.spawn(options);
    await child.stdin.end();
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { status: code, stdout, stderr, events: this.told() };
  }

  told(): Event[] {
    if (!existsSync(this.events)) return [];
    const lines = readFileSync(this.events, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Event);
  }

  event(name: string, isIt: (event: Event) => boolean = () => true): Promise<Event> {
    return waitFor(`event ${name}`, () => this.told().find((event) => event.event === name && isIt(event)));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
