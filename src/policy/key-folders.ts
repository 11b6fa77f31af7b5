/** Folders that hold keys: never opened as a whole by an answer (SPEC §2), and no place for a project. */
import { isWithin, joinPath } from "./paths.ts";

/** Below the home. */
const KEYS: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".oci",
  ".pki",
  ".1password",
  ".terraform.d",
  ".password-store",
  ".mozilla",
  ".thunderbird",
  ".config/hallpass",
  ".config/gcloud",
  ".config/gh",
  ".config/glab-cli",
  ".config/op",
  ".config/sops",
  ".config/age",
  ".config/containers",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/github-copilot",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/state/hallpass",
];

/** Below the home: what is there is run later, so an answer proposes the one file. */
const PROGRAMS: readonly string[] = [
  "bin",
  ".local/bin",
  ".local/share/applications",
  ".local/share/systemd",
  ".local/share/dbus-1",
  ".config/autostart",
  ".config/systemd",
  ".config/environment.d",
  ".config/git",
  ".config/fish",
  ".config/nvim",
  ".config/vim",
  ".config/tmux",
  ".config/direnv",
  ".config/Code/User",
  ".cargo/bin",
  ".rustup",
  ".pyenv",
  ".rbenv",
  ".nvm",
  ".volta",
  ".bun/bin",
  ".deno/bin",
  "go/bin",
  ".vim",
  ".emacs.d",
  ".oh-my-zsh",
  ".zsh",
  ".vscode",
  ".vscode-server",
  ".claude",
  ".codex",
  ".gemini",
  ".cursor",
  ".copilot",
  ".opencode",
];

export function keyFolders(home: string): string[] {
  return KEYS.map((name) => joinPath(home, name));
}

/** Whether a folder is one that holds keys, lies in one, or has one below it. */
export function holdsKeys(folder: string, home: string): boolean {
  return keyFolders(home).some((keys) => isWithin(folder, keys) || isWithin(keys, folder));
}

/** Whether something in the folder is run later: by name, at login, by an editor or an agent. */
export function holdsPrograms(folder: string, home: string): boolean {
  const places = PROGRAMS.map((name) => joinPath(home, name));
  return places.some((place) => isWithin(folder, place) || isWithin(place, folder));
}
