/** The saved rules of a running session: read at its start, changed by answers, read again when somebody edits them. */
import { existsSync } from "node:fs";
import { formatRule, formatTarget, type Rule, type RuleContext } from "../../policy/index.ts";
import { everywhereFile, projectFile } from "../../policy/rule-file-names.ts";
import type { LoadedRules } from "../../policy/store.ts";
import type { FileChange, FiledRule } from "../../session/event.ts";

type Scope = "project" | "everywhere";

export interface RuleFilesEvents {
  /** A file was read (again). */
  filed(scope: Scope, rules: readonly FiledRule[]): void;
  /** A file has mistakes: the rules it had stay in force. */
  broken(problem: string): void;
}

const SETTLE_MS = 50;

/** Most sessions begin without a rule file; what reads and writes them is loaded when it is wanted. */
const store = async () => import("../../policy/store.ts");

export class RuleFiles {
  readonly files: Readonly<Record<Scope, string>>;
  private readonly loaded: Partial<Record<Scope, LoadedRules>> = {};
  private readonly timers = new Map<Scope, ReturnType<typeof setTimeout>>();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    config: string,
    private readonly project: string,
    private readonly context: RuleContext,
    private readonly events: RuleFilesEvents,
  ) {
    this.files = { everywhere: everywhereFile(config), project: projectFile(config, project) };
  }

  /** Reads both; throws PolicyError with the mistakes, for nothing runs with a broken rule file. */
  async start(): Promise<void> {
    await this.load("everywhere");
    await this.load("project");
  }

  /** From now on a change by hand takes effect at once; never closed, for closing takes longer than all the rest of an end. */
  async watch(): Promise<void> {
    const { watchRules } = await store();
    const scopeOf = (file: string): Scope => (file === this.files.project ? "project" : "everywhere");
    watchRules(Object.values(this.files), (file) => this.changedOnDisk(scopeOf(file)));
    // An edit since the start was seen by nobody.
    for (const file of Object.values(this.files)) this.changedOnDisk(scopeOf(file));
  }

  /** An editor writes in several steps: the file is read when it has been quiet for a moment. */
  private changedOnDisk(scope: Scope): void {
    clearTimeout(this.timers.get(scope));
    const timer = setTimeout(() => void this.enqueue(() => this.reload(scope)), SETTLE_MS);
    timer.unref();
    this.timers.set(scope, timer);
  }

  private async reload(scope: Scope): Promise<void> {
    try {
      await this.load(scope);
    } catch (error) {
      this.events.broken(`${(error as Error).message}; the rules that were read before stay in force`);
    }
  }

  private async load(scope: Scope): Promise<void> {
    if (this.loaded[scope] === undefined && !existsSync(this.files[scope])) return;
    const { loadRules } = await store();
    const loaded = await loadRules(this.files[scope], this.context);
    if (loaded.text === this.loaded[scope]?.text) return;
    this.loaded[scope] = loaded;
    if (loaded.rules.length === 0 && loaded.text === "") return this.events.filed(scope, []);
    this.events.filed(
      scope,
      loaded.rules.map(({ rule, line }) => ({ rule, line, file: this.files[scope] })),
    );
  }

  /** Why the file could not be changed, or undefined; changes are made one after the other. */
  change(change: FileChange): Promise<string | undefined> {
    return this.enqueue(async () => {
      try {
        return await this.perform(change);
      } catch (error) {
        return (error as Error).message;
      }
    });
  }

  private enqueue<Result>(step: () => Promise<Result>): Promise<Result> {
    const next = this.work.then(step);
    this.work = next.catch(() => undefined);
    return next;
  }

  private async perform(change: FileChange): Promise<string | undefined> {
    const { changeRules } = await store();
    if (change.type === "append") {
      await changeRules(
        this.files[change.scope],
        { type: "append", line: formatRule(change.rule) },
        this.header(change.scope),
      );
      await this.load(change.scope);
      return undefined;
    }
    const scope: Scope = change.before.origin.kind === "everywhere" ? "everywhere" : "project";
    const place = this.placeOf(scope, change.before, change.before.origin.line);
    const isDone = await changeRules(
      this.files[scope],
      change.type === "replace" ? { type: "replace", place, line: formatRule(change.rule) } : { type: "delete", place },
    );
    await this.load(scope);
    return isDone ? undefined : `the rule is not in ${this.files[scope]} any more`;
  }

  private placeOf(scope: Scope, rule: Rule, line: number | undefined): { line: number; text: string } {
    const text = line === undefined ? undefined : this.loaded[scope]?.text.split("\n")[line - 1];
    return { line: line ?? 1, text: text ?? formatRule(rule) };
  }

  private header(scope: Scope): string {
    return scope === "project"
      ? `# Rules of hallpass for ${formatTarget(this.project)}\n`
      : "# Rules of hallpass for every project\n";
  }

  async stop(): Promise<void> {
    for (const timer of this.timers.values()) clearTimeout(timer);
    await this.work;
  }
}
