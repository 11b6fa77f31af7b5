/** The command line as data: parsing, --help, completions and the man page all come from here. */

export interface Flag {
  readonly name: string;
  /** What stands for the value in help; a flag without one is a switch. */
  readonly value?: string;
  /** The value may be left out; then it must be given as `--flag=VALUE`. */
  readonly isValueOptional?: boolean;
  readonly isRepeatable?: boolean;
  readonly choices?: readonly string[];
  /** What the shell completes the value with. */
  readonly completes?: "file" | "program";
  readonly summary: string;
  readonly fallback?: string;
}

export interface Command {
  readonly name: string;
  /** The words after the name. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Its flags may be written with one dash too. */
  readonly hasSingleDash?: true;
  /** First words that it knows, for completion. */
  readonly words?: readonly string[];
  /** How many words it takes. */
  readonly least: number;
  readonly most: number;
}

const PROMPTS = ["terminal", "desktop", "answer", "web", "allow", "deny"] as const;
const JSON_FLAG: Flag = { name: "json", summary: "JSON lines instead of text" };
const SCOPE: Flag = {
  name: "scope",
  value: "SCOPE",
  choices: ["session", "project", "everywhere"],
  summary: "where an added rule is kept",
  fallback: "project",
};

/** The flags of `hallpass [flags] [-- CMD ARG...]`. */
export const RUN_FLAGS: readonly Flag[] = [
  {
    name: "allow-path",
    value: "PATH",
    isRepeatable: true,
    completes: "file",
    summary: "writes to PATH are not asked: a file, or a folder with all below it; globs allowed",
  },
  {
    name: "deny-path",
    value: "PATH",
    isRepeatable: true,
    completes: "file",
    summary: "writes to PATH always fail, whatever else is said",
  },
  {
    name: "allow-exec",
    value: "PROG",
    isRepeatable: true,
    completes: "program",
    summary: "PROG runs without asking: a path, a name found in $PATH, DIR/**, or @group",
  },
  { name: "deny-exec", value: "PROG", isRepeatable: true, completes: "program", summary: "PROG never runs" },
  {
    name: "allow-connect",
    value: "DEST",
    isRepeatable: true,
    summary: "connecting and sending to DEST is not asked; turns network mediation on",
  },
  {
    name: "deny-connect",
    value: "DEST",
    isRepeatable: true,
    summary: "connecting and sending to DEST always fails; turns network mediation on",
  },
  { name: "rule", value: "RULE", isRepeatable: true, summary: "a rule line, any category" },
  { name: "rules", value: "FILE", isRepeatable: true, completes: "file", summary: "a file of rule lines" },
  {
    name: "mediate",
    value: "LIST",
    summary: "what is mediated: any of write,exec,connect, or none",
    fallback: "write,exec",
  },
  {
    name: "no-implicit",
    summary: "nothing is writable that no rule allows: not the project, $TMPDIR, the devices or the terminal",
  },
  { name: "allow-tty", summary: "with --no-implicit: the session's own terminal stays writable" },
  {
    name: "prompt",
    value: "MODE",
    choices: PROMPTS,
    summary: "where requests are answered",
    fallback: "terminal on a terminal, else desktop where there is one, else answer",
  },
  { name: "timeout", value: "DURATION", summary: "a request that nobody answers is denied after it" },
  {
    name: "log",
    value: "FILE",
    isValueOptional: true,
    completes: "file",
    summary: "JSON lines, one a decision; without FILE into the state folder",
  },
  {
    name: "wait",
    value: "all",
    isValueOptional: true,
    choices: ["all"],
    summary: "after CMD ends, keep supervising the processes it left until the last one ends",
  },
  {
    name: "mode",
    value: "MODE",
    choices: ["lite", "strict"],
    summary: "lite needs no root; strict lets BPF programs enforce the answers",
    fallback: "lite",
  },
  { name: "profile", value: "NAME", summary: "rules and fence that fit an agent CLI or tool" },
  { name: "secrets", summary: "ask before a file of @secrets is read" },
  { name: "log-all", summary: "log implicitly allowed writes too" },
  { name: "checks", value: "FILE", completes: "file", summary: "permission checks for hallpass-request act" },
  { name: "as", value: "USER", summary: "the user that permission checks are made for" },
  {
    name: "fence",
    value: "WHEN",
    choices: ["auto", "on", "off"],
    summary: "the Landlock fence of lite mode; off for programs that must mount",
    fallback: "auto",
  },
  {
    name: "save",
    value: "WHERE",
    choices: ["project", "session"],
    summary: "where always and never answers are kept",
    fallback: "project",
  },
  { name: "help", summary: "this text" },
  { name: "version", summary: "the version" },
];

const CONFIG: Flag = {
  name: "config",
  value: "FILE",
  completes: "file",
  summary: "the connections",
  fallback: "/etc/hallpass/hallpass.yaml",
};
const CONNECTION: Flag = { name: "connection", value: "ID", summary: "the connection to ask" };

/** Permission checks elsewhere; their flags may have one dash, as the files and scripts written for them do. */
const CHECK_COMMANDS: readonly Command[] = [
  {
    name: "validate",
    usage: "[--config FILE]",
    summary: "find what is wrong with a file of connections; no network",
    flags: [CONFIG],
    hasSingleDash: true,
    least: 0,
    most: 0,
  },
  {
    name: "probe",
    usage: "[--config FILE] [--connection ID]",
    summary: "ask each system with its credential, and say what should be changed there",
    flags: [CONFIG, CONNECTION],
    hasSingleDash: true,
    least: 0,
    most: 0,
  },
  {
    name: "check",
    usage: "--connection ID --user EMAIL --action A --resource R",
    summary: "may this user do this, over there? Exit code 0 allow, 1 deny, 3 unknown, 2 no decision",
    flags: [
      CONFIG,
      CONNECTION,
      { name: "user", value: "EMAIL", summary: "the person that is asked about" },
      { name: "action", value: "ACTION", summary: "what the person would do; hallpass catalog lists the actions" },
      { name: "resource", value: "RESOURCE", summary: "on what: TYPE:ID" },
      {
        name: "group",
        value: "GROUP",
        isRepeatable: true,
        summary: "a group of the person's, where the system is told",
      },
      { name: "fresh", summary: "past the server's caches" },
      JSON_FLAG,
      { name: "server", value: "URL", summary: "ask a hallpass server in the stead of the systems" },
      {
        name: "api-key",
        value: "REF",
        summary: "with --server: env:NAME or file:/path",
        fallback: "env:HALLPASS_API_KEY",
      },
      { name: "ca-file", value: "PEM", completes: "file", summary: "with --server: certificates to trust" },
      { name: "timeout", value: "DURATION", summary: "with --server: how long to wait", fallback: "1m" },
    ],
    hasSingleDash: true,
    least: 0,
    most: 0,
  },
  {
    name: "catalog",
    usage: "[INTEGRATION]",
    summary: "the systems that can be asked, their keys and actions",
    flags: [JSON_FLAG],
    hasSingleDash: true,
    least: 0,
    most: 1,
  },
  {
    name: "serve",
    usage: "[--config FILE] [--listen ADDRESS]",
    summary: "answer permission checks over HTTP",
    flags: [
      CONFIG,
      { name: "listen", value: "ADDRESS", summary: "HOST:PORT or :PORT, in the stead of the file's" },
      { name: "reuse-port", summary: "let the next server listen on the same port before this one stops" },
      {
        name: "log-level",
        value: "LEVEL",
        choices: ["debug", "info", "warn", "error"],
        summary: "what is written to stderr",
        fallback: "info",
      },
    ],
    hasSingleDash: true,
    least: 0,
    most: 0,
  },
];

const SHELLS = ["bash", "zsh", "fish"] as const;

export const COMMANDS: readonly Command[] = [
  {
    name: "answer",
    usage: "[PID] [rules | add RULE | edit N RULE | delete N]",
    summary: "answer a session's requests from another terminal",
    flags: [JSON_FLAG, SCOPE],
    words: ["rules", "add", "edit", "delete"],
    least: 0,
    most: Infinity,
  },
  {
    name: "tui",
    usage: "[PID]",
    summary: "the full-screen interface of Ctrl-], from another terminal",
    flags: [],
    least: 0,
    most: 1,
  },
  {
    name: "web",
    usage: "[PID]",
    summary: "the web interface, for every session of the user",
    flags: [],
    least: 0,
    most: 1,
  },
  { name: "sessions", usage: "", summary: "the user's running sessions", flags: [JSON_FLAG], least: 0, most: 0 },
  {
    name: "log",
    usage: "FILE",
    summary: "read a log: a summary, or the rules that would allow it",
    flags: [JSON_FLAG, { name: "rules", summary: "the smallest sensible rules that would allow what was asked" }],
    least: 1,
    most: 1,
  },
  {
    name: "why",
    usage: "CATEGORY TARGET [PID]",
    summary: "the verdict on it, and the rule that gives it",
    flags: [JSON_FLAG],
    words: ["write", "exec", "connect", "read"],
    least: 2,
    most: 3,
  },
  {
    name: "doctor",
    usage: "",
    summary: "what this kernel and this machine can do, and what is missing",
    flags: [JSON_FLAG],
    least: 0,
    most: 0,
  },
  {
    name: "strict",
    usage: "load|unload|status",
    summary: "(root) the BPF-LSM part of strict mode",
    flags: [],
    words: ["load", "unload", "status"],
    least: 1,
    most: 1,
  },
  {
    name: "rules",
    usage: "[groups [NAME]|profiles]",
    summary: "the saved rules; the groups and profiles that ship",
    flags: [JSON_FLAG],
    words: ["groups", "profiles"],
    least: 0,
    most: 2,
  },
  ...CHECK_COMMANDS,
  {
    name: "completions",
    usage: SHELLS.join("|"),
    summary: "completions for a shell",
    flags: [],
    words: SHELLS,
    least: 1,
    most: 1,
  },
  { name: "version", usage: "", summary: "the version", flags: [], least: 0, most: 0 },
  { name: "help", usage: "[COMMAND]", summary: "what a command does", flags: [], least: 0, most: 1 },
];

export function findCommand(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
