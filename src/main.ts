/** From the words of the command line to a command; each command's code is loaded when it is wanted. */
import { parseArgv, type Flags, type Invocation } from "./cli/argv.ts";
import { readContext } from "./cli/context.ts";
import { explain } from "./cli/explain.ts";
import { HallpassError, UsageError } from "./errors.ts";

/** The exit code. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    return await perform(parseArgv(argv));
  } catch (error) {
    return explain(error);
  }
}

async function perform(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  if (flags.has("help") || (invocation.type === "command" && invocation.command.name === "help"))
    return help(invocation);
  if (flags.has("version")) return version();
  if (invocation.type === "run") {
    const { run } = await import("./cli/run.ts");
    // What still runs then (workers, watchers) has nothing more to do.
    process.exit(await run(invocation.command));
  }
  return performCommand(invocation.command.name, flags, invocation.words);
}

async function help(invocation: Invocation): Promise<number> {
  const { commandHelp, helpText } = await import("./cli/help.ts");
  const { findCommand } = await import("./cli/definition.ts");
  const wanted =
    invocation.type === "run"
      ? undefined
      : invocation.command.name === "help"
        ? invocation.words[0]
        : invocation.command.name;
  const command = wanted === undefined ? undefined : findCommand(wanted);
  if (wanted !== undefined && !command) throw new UsageError(`there is no command ${wanted}; see hallpass --help`);
  process.stdout.write(command ? commandHelp(command) : helpText());
  return 0;
}

async function version(): Promise<number> {
  const { default: pack } = await import("../package.json");
  process.stdout.write(`hallpass ${pack.version}\n`);
  return 0;
}

async function performCommand(name: string, flags: Flags, words: readonly string[]): Promise<number> {
  const context = (): ReturnType<typeof readContext> => readContext(process.cwd(), process.env);
  // Whoever reads our output has seen enough.
  process.stdout.on("error", () => process.exit(141));
  switch (name) {
    case "sessions":
      return (await import("./cli/sessions.ts")).sessions(flags, context());
    case "answer":
      return (await import("./cli/sessions.ts")).answer(flags, words, context());
    case "doctor":
      return (await import("./cli/doctor.ts")).doctor(flags.has("json"), process.env);
    case "log":
      return (await import("./cli/log.ts")).log(flags, words[0]!, context());
    case "why":
      return (await import("./cli/why.ts")).why(flags, words, context());
    case "rules":
      return (await import("./cli/rules.ts")).rules(flags, words, context());
    case "version":
      return version();
    case "validate":
      return (await import("./cli/validate.ts")).validate(flags);
    case "probe":
      return (await import("./cli/probe.ts")).probe(flags);
    case "check":
      return (await import("./cli/check.ts")).check(flags);
    case "catalog":
      return (await import("./cli/catalog.ts")).catalog(flags, words[0]);
    case "serve":
      return (await import("./cli/serve.ts")).serve(flags);
    case "completions":
      return printCompletions(words[0] ?? "");
    default:
      throw new HallpassError(`hallpass ${name} is not built yet`);
  }
}

async function printCompletions(shell: string): Promise<number> {
  const { completions } = await import("./cli/completions.ts");
  if (!["bash", "zsh", "fish"].includes(shell))
    throw new UsageError(`no completions for ${shell}; there are bash, zsh and fish`);
  process.stdout.write(completions(shell));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
