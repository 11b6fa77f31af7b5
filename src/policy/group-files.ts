/** The rule files that ship, as text; `hallpass rules groups` shows them. */
import build from "./groups/build.rules" with { type: "text" };
import common from "./groups/common.rules" with { type: "text" };
import compilers from "./groups/compilers.rules" with { type: "text" };
import containers from "./groups/containers.rules" with { type: "text" };
import coreutils from "./groups/coreutils.rules" with { type: "text" };
import crypto from "./groups/crypto.rules" with { type: "text" };
import devices from "./groups/devices.rules" with { type: "text" };
import editors from "./groups/editors.rules" with { type: "text" };
import files from "./groups/files.rules" with { type: "text" };
import gitConfig from "./groups/git-config.rules" with { type: "text" };
import history from "./groups/history.rules" with { type: "text" };
import info from "./groups/info.rules" with { type: "text" };
import languages from "./groups/languages.rules" with { type: "text" };
import network from "./groups/network.rules" with { type: "text" };
import packageManagers from "./groups/package-managers.rules" with { type: "text" };
import quietSockets from "./groups/quiet-sockets.rules" with { type: "text" };
import runsLater from "./groups/runs-later.rules" with { type: "text" };
import secrets from "./groups/secrets.rules" with { type: "text" };
import services from "./groups/services.rules" with { type: "text" };
import shells from "./groups/shells.rules" with { type: "text" };
import system from "./groups/system.rules" with { type: "text" };
import terminal from "./groups/terminal.rules" with { type: "text" };
import text from "./groups/text.rules" with { type: "text" };
import vcs from "./groups/vcs.rules" with { type: "text" };
import { CATEGORIES, type Category } from "./rule.ts";

/** Name (without the `@`) to text. */
export const GROUP_FILES: Readonly<Record<string, string>> = {
  build,
  common,
  compilers,
  containers,
  coreutils,
  crypto,
  devices,
  editors,
  files,
  "git-config": gitConfig,
  history,
  info,
  languages,
  network,
  "package-managers": packageManagers,
  "quiet-sockets": quietSockets,
  "runs-later": runsLater,
  secrets,
  services,
  shells,
  system,
  terminal,
  text,
  vcs,
};

/** The category of a group's rules, or undefined where there is no such group. */
export function groupCategory(name: string): Category | undefined {
  const rules = Object.hasOwn(GROUP_FILES, name) ? GROUP_FILES[name]! : "";
  const first = /^(?:allow|ask|deny)\s+(\w+)/m.exec(rules)?.[1];
  return CATEGORIES.find((category) => category === first);
}
