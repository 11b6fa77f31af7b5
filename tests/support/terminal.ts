/** A program on a terminal of its own, as a person would have it: keys go in, a screen model shows what they would see. */
import { Terminal as Screen } from "@xterm/headless";
import { isAlive, waitFor } from "./wait.ts";

export interface TerminalOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** The whole environment; that of the tests where absent. */
  readonly env?: Record<string, string>;
}

export class TerminalProgram implements AsyncDisposable {
  readonly screen: Screen;
  /** All bytes that came out, in order. */
  readonly output: Uint8Array[] = [];
  readonly exited: Promise<number>;
  readonly pid: number;
  readonly #terminal: Bun.Terminal;
  readonly #child: Bun.Subprocess;

  constructor(command: readonly string[], options: TerminalOptions = {}) {
    const { cols = 80, rows = 24 } = options;
    this.screen = new Screen({ cols, rows, scrollback: 10_000, allowProposedApi: true });
    this.#child = Bun.spawn([...command], {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...(options.env ?? process.env), TERM: options.env?.TERM ?? "xterm-256color" },
      terminal: { cols, rows, data: (_terminal, bytes) => this.#receive(bytes) },
    });
    const { terminal } = this.#child;
    if (terminal === undefined) throw new Error("Bun.spawn gave no terminal");
    this.#terminal = terminal;
    this.pid = this.#child.pid;
    this.exited = this.#child.exited;
    // The model answers the queries a real terminal answers (cursor position, device attributes).
    this.screen.onData((reply) => this.#terminal.closed || this.#terminal.write(reply));
  }

  #receive(bytes: Uint8Array): void {
    const copy = bytes.slice();
    this.output.push(copy);
    this.screen.write(copy);
  }

  type(keys: string | Uint8Array<ArrayBuffer>): void {
    this.#terminal.write(keys);
  }

  resize(cols: number, rows: number): void {
    this.screen.resize(cols, rows);
    this.#terminal.resize(cols, rows);
  }

  kill(signal: NodeJS.Signals | number = "SIGTERM"): void {
    this.#child.kill(signal);
  }

  /** Closes the terminal under the program, as a window that is shut. */
  close(): void {
    this.#terminal.close();
  }

  /** Resolves when the model has taken in every byte received so far. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.screen.write("", resolve));
  }

  /** The visible rows, without trailing blanks. */
  rows(): string[] {
    return this.#lines(this.screen.buffer.active.viewportY, this.screen.rows);
  }

  /** The scrollback and the visible rows. */
  history(): string[] {
    return this.#lines(0, this.screen.buffer.active.length);
  }

  #lines(from: number, count: number): string[] {
    const { active } = this.screen.buffer;
    return Array.from(
      { length: count },
      (_, row) =>
        active
          .getLine(from + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
    );
  }

  text(): string {
    return this.rows().join("\n");
  }

  /** The output as text, for what has scrolled away or is no text on the screen. */
  outputText(): string {
    return Buffer.concat(this.output).toString("utf8");
  }

  /** Waits until the screen shows `wanted`; a screen that never does is in the error. */
  async shows(wanted: string | RegExp, timeoutMs = 15_000): Promise<string> {
    const look = (): string | undefined => {
      const text = this.text();
      return (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) ? text : undefined;
    };
    try {
      return await waitFor(`the screen shows ${wanted}`, look, timeoutMs);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.text()}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (await isAlive(this.pid)) this.#child.kill("SIGKILL");
    await this.exited;
    if (!this.#terminal.closed) this.#terminal.close();
    this.screen.dispose();
  }
}
