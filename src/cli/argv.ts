/** Words of the command line to what is meant by them; a slip is named together with the nearest thing that exists. */
import { UsageError } from "../errors.ts";
import { COMMANDS, type Command, findCommand, type Flag, RUN_FLAGS } from "./definition.ts";
import { nearest } from "./nearest.ts";

/** A flag as it was given; `true` for a switch, or a value that was left out. */
export interface GivenFlag {
  readonly name: string;
  readonly value: string | true;
}

/** In the order they were given. */
export class Flags {
  constructor(readonly given: readonly GivenFlag[]) {}

  has(name: string): boolean {
    return this.given.some((flag) => flag.name === name);
  }

  /** The last one given counts. */
  value(name: string): string | true | undefined {
    return this.given.findLast((flag) => flag.name === name)?.value;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    return value === true ? undefined : value;
  }
}

export type Invocation =
  | { readonly type: "run"; readonly flags: Flags; readonly command: readonly string[] }
  | { readonly type: "command"; readonly command: Command; readonly flags: Flags; readonly words: readonly string[] };

/** The words after `hallpass`. Throws UsageError. */
export function parseArgv(argv: readonly string[]): Invocation {
  const reader = new Reader(argv);
  const flags = reader.flags(RUN_FLAGS, "hallpass");
  const word = reader.next();
  if (word === "--") return { type: "run", flags: new Flags(flags), command: reader.rest() };
  if (word === undefined) return { type: "run", flags: new Flags(flags), command: [] };
  const command = findCommand(word);
  if (!command) throw new UsageError(unknownCommand(word));
  const wrong = flags[0];
  if (wrong) throw new UsageError(`--${wrong.name} is for running a program: hallpass --${wrong.name} -- CMD`);
  return parseCommand(command, reader);
}

function unknownCommand(word: string): string {
  const near = nearest(
    word,
    COMMANDS.map((command) => command.name),
  );
  return `there is no command ${word}${near ? `; did you mean ${near}?` : ""} To run a program: hallpass -- ${word}`;
}

function parseCommand(command: Command, reader: Reader): Invocation {
  const flags: GivenFlag[] = [];
  const words: string[] = [];
  const known = [...command.flags, { name: "help", summary: "" }];
  for (;;) {
    flags.push(...reader.flags(known, `hallpass ${command.name}`, command.hasSingleDash));
    const word = reader.next();
    if (word === undefined) break;
    words.push(...(word === "--" ? reader.rest() : [word]));
  }
  const isHelp = flags.some((flag) => flag.name === "help");
  if (!isHelp && (words.length < command.least || words.length > command.most)) {
    throw new UsageError(`usage: hallpass ${command.name} ${command.usage}`.trimEnd());
  }
  return { type: "command", command, flags: new Flags(flags), words };
}

class Reader {
  private at = 0;

  constructor(private readonly argv: readonly string[]) {}

  next(): string | undefined {
    return this.argv[this.at++];
  }

  rest(): string[] {
    const rest = this.argv.slice(this.at);
    this.at = this.argv.length;
    return rest;
  }

  /** The flags that stand here, up to a word or `--`. */
  flags(known: readonly Flag[], where: string, hasSingleDash = false): GivenFlag[] {
    const found: GivenFlag[] = [];
    for (
      let word = this.argv[this.at];
      word?.startsWith("-") && word !== "--" && word !== "-";
      word = this.argv[this.at]
    ) {
      this.at++;
      found.push(this.flag(word === "-h" ? "--help" : hasSingleDash ? word.replace(/^--?/, "--") : word, known, where));
    }
    return found;
  }

  private flag(word: string, known: readonly Flag[], where: string): GivenFlag {
    const equals = word.indexOf("=");
    const name = word.replace(/^--?/, "").replace(/=.*/s, "");
    const flag = word.startsWith("--") ? known.find((one) => one.name === name) : undefined;
    if (!flag) throw new UsageError(unknownFlag(word.replace(/=.*/s, ""), known, where));
    const value = equals < 0 ? this.valueOf(flag) : word.slice(equals + 1);
    if (flag.value === undefined && equals >= 0) throw new UsageError(`--${name} takes no value`);
    if (value === "") throw new UsageError(`--${name} needs ${flag.value}`);
    if (value !== true && flag.choices && !flag.choices.includes(value)) throw new UsageError(badChoice(flag, value));
    return { name, value };
  }

  private valueOf(flag: Flag): string | true {
    if (flag.value === undefined || flag.isValueOptional) return true;
    const value = this.next();
    if (value === undefined || value === "--") throw new UsageError(`--${flag.name} needs ${flag.value}`);
    return value;
  }
}

function unknownFlag(word: string, known: readonly Flag[], where: string): string {
  const near = nearest(
    word.replace(/^-+/, ""),
    known.map((flag) => flag.name),
  );
  return `${where} has no flag ${word}${near ? `; did you mean --${near}?` : `; see ${where} --help`}`;
}

function badChoice(flag: Flag, value: string): string {
  const near = nearest(value, flag.choices ?? []);
  return `--${flag.name}=${value}: it is one of ${flag.choices?.join(", ")}${near ? `; did you mean ${near}?` : ""}`;
}
