/** A session of the real program that asks over its socket, and a client of it that answers. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { connectSocket } from "../../src/control/client.ts";
import { sessionPids, socketPath } from "../../src/control/folder.ts";
import type { Decision, SessionConnection, SessionEvent } from "../../src/control/messages.ts";
import { SessionMirror } from "../../src/control/mirror.ts";
import type { AnswerKind, Request } from "../../src/session/request.ts";
import { hallpassFor } from "./hallpass.ts";
import { makePlaces, type Places } from "./places.ts";
import { waitFor } from "./wait.ts";

/** Places with a home (which has a `.npm`), a runtime folder and a log of their own. */
export interface AskingPlaces extends Places {
  readonly home: string;
  readonly runtime: string;
  readonly log: string;
}

export function makeAskingPlaces(): AskingPlaces {
  const places = makePlaces();
  const [home, runtime] = [`${places.root}/home`, `${places.root}/run`];
  for (const folder of [home, runtime, `${home}/.npm`]) mkdirSync(folder, { mode: 0o700 });
  return { ...places, home, runtime, log: `${places.root}/log.jsonl` };
}

/** The environment in which hallpass finds these places. */
export function askingEnv({ home, runtime }: AskingPlaces): Record<string, string> {
  return { ...(process.env as Record<string, string>), HOME: home, XDG_RUNTIME_DIR: runtime };
}

export class Asking implements AsyncDisposable {
  readonly events: SessionEvent[] = [];
  readonly mirror: SessionMirror;

  private constructor(
    readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">,
    readonly connection: SessionConnection,
  ) {
    let mirror: SessionMirror | undefined;
    connection.subscribe((event) => {
      this.events.push(event);
      if (event.type === "welcome") mirror = new SessionMirror(event);
      else mirror?.take(event);
    });
    this.mirror = mirror!;
  }

  static async start(places: AskingPlaces, script: string, flags: readonly string[] = []): Promise<Asking> {
    const { runtime, log } = places;
    const command = [...hallpassFor(), "--prompt=answer", `--log=${log}`, ...flags, "--", "sh", "-c", script];
    const child = Bun.spawn(command, {
      cwd: places.project,
      env: askingEnv(places),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [pid] = await waitFor(
      "a session",
      () => sessionPids(`${runtime}/hallpass`).length > 0 && sessionPids(`${runtime}/hallpass`),
    );
    return new Asking(child, await connectSocket(socketPath(`${runtime}/hallpass`, pid!), "test"));
  }

  request(target?: string): Promise<Request> {
    const find = (): Request | undefined =>
      [...this.mirror.requests.values()].find((one) => target === undefined || one.call.target === target);
    return waitFor(`a request${target === undefined ? "" : ` for ${target}`}`, find);
  }

  answer(request: Request, kind: AnswerKind, more: { target?: string; duration?: number } = {}): void {
    this.connection.send({ type: "answer", answer: { request: request.id, kind, ...more }, ref: request.id });
  }

  /** What the program wrote, once the session is over. */
  async output(): Promise<string> {
    const text = await new Response(this.child.stdout).text();
    await this.child.exited;
    await waitFor("the last event", () => this.events.at(-1)?.type === "bye");
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
    this.connection.close();
  }
}

/** The log's lines so far. */
export function logged({ log }: AskingPlaces): Decision[] {
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Decision);
}

/** The rules saved for projects. */
export function savedRules({ home }: AskingPlaces): string[] {
  const folder = `${home}/.config/hallpass/projects`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) =>
    readFileSync(`${folder}/${name}`, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
}
