/** Whether a change to a git configuration makes git run something (SPEC §3: `.git/config` asks only then). */
import { parseGitConfig, type ConfigEntry } from "./git-config-syntax.ts";

/** A section and key, both in lower case, whose value is run, or leads to a file that says what is. */
const RUNS: readonly RegExp[] = [
  /^core\.(hookspath|fsmonitor|sshcommand|gitproxy|editor|pager|askpass|alternaterefscommand)$/,
  /^(include|includeif)\.path$/,
  /^credential\.helper$/,
  /^filter\.(clean|smudge|process)$/,
  /^(diff|difftool|mergetool|browser|man|guitool|tar|trailer|hook)\.(command|cmd|textconv|external|path|driver)$/,
  /^merge\.driver$/,
  /^gpg\.(program|defaultkeycommand)$/,
  /^sequence\.editor$/,
  /^interactive\.difffilter$/,
  /^pager\./,
  /^init\.templatedir$/,
  /^(uploadpack\.packobjectshook|gc\.recentobjectshook|receive\.procreceiverefs)$/,
  /^remote\.(uploadpack|receivepack|vcs)$/,
  /^protocol\.allow$/,
  /^sendemail\.(smtpserver|sendmailcmd|tocmd|cccmd|headercmd|aliasfile)$/,
  /^imap\.tunnel$/,
  /^instaweb\.(httpd|browser)$/,
  /^lfs\.(path|clean|smudge|standalonetransferagent|locksverify)$/,
  /^lfs-?.*\.(path|clean|smudge)$/,
  /^web\.browser$/,
];

/** A value that is run only when it looks so: `!` aliases and updates, transports that are commands. */
function runsByValue({ section, subsection, key, value }: ConfigEntry): boolean {
  if (section === "alias") return value.trimStart().startsWith("!");
  if (section === "submodule" && key === "update") return value.startsWith("!");
  if ((section === "remote" || section === "submodule") && (key === "url" || key === "pushurl"))
    return isCommandUrl(value);
  return section === "url" && isCommandUrl(subsection);
}

/** `ext::sh -c …` is a command; so may be what another transport helper makes of it. */
function isCommandUrl(url: string): boolean {
  return /^[a-z0-9.+-]+::/i.test(url) && !/^(https?|ftps?|file|git|ssh)::/i.test(url);
}

function runsSomething(entry: ConfigEntry): boolean {
  const { section, key, value } = entry;
  if (section === "core" && key === "fsmonitor" && isBoolean(value)) return false;
  if (section === "pager" && isBoolean(value)) return false;
  return RUNS.some((expression) => expression.test(`${section}.${key}`)) || runsByValue(entry);
}

/** git's own file system monitor, or none. */
function isBoolean(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|\d+|)$/i.test(value);
}

/** Larger files are not read: they ask. */
export const GIT_CONFIG_LIMIT = 1 << 20;

/**
 * Whether the new text adds or changes a key that runs something. A text that git itself would refuse counts as one, so
 * does one that is too long. Taking such a key away does not count.
 */
export function gitConfigRunsMore(before: Uint8Array, after: Uint8Array): boolean {
  if (after.length > GIT_CONFIG_LIMIT || before.length > GIT_CONFIG_LIMIT) return true;
  const now = parseGitConfig(after);
  if (now === undefined) return true;
  const old = running(parseGitConfig(before) ?? []);
  return [...running(now)].some(([name, values]) => old.get(name)?.join("\0") !== values.join("\0"));
}

function running(entries: readonly ConfigEntry[]): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const entry of entries.filter(runsSomething)) {
    const name = `${entry.section}\0${entry.subsection}\0${entry.key}`;
    byName.set(name, [...(byName.get(name) ?? []), entry.value]);
  }
  return byName;
}

/** The last value of a key (`core.hookspath`, in lower case, without a subsection). */
export function gitConfigValue(config: Uint8Array, name: string): string | undefined {
  return (parseGitConfig(config) ?? []).findLast(
    (entry) => entry.subsection === "" && `${entry.section}.${entry.key}` === name,
  )?.value;
}
