/** Where tools keep their caches and state: what an answer to one write of theirs had better cover (SPEC §4). */
import { escapeGlob } from "./glob.ts";
import { isWithin, joinPath } from "./paths.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ToolFolder {
  /** Everything that the target can match lies below it. */
  readonly root: string;
  /** A rule TARGET. */
  readonly target: string;
  /** One of the tools listed here, and not only a folder that looks like a tool's. */
  readonly isKnown: boolean;
}

/** One tool: where it is told to keep things, else where it does so by itself, and which part of that is only a cache. */
interface Tool {
  readonly variable?: string;
  /** Below the folder that the variable names. */
  readonly within?: string;
  /** Below the home, where the variable is not set. */
  readonly usual: string;
  /** A glob below the root; everything where absent. */
  readonly part?: string;
}

const TOOLS: readonly Tool[] = [
  { variable: "npm_config_cache", usual: ".npm" },
  { variable: "NPM_CONFIG_CACHE", usual: ".npm" },
  { variable: "YARN_CACHE_FOLDER", usual: ".cache/yarn" },
  { usual: ".yarn/berry/cache" },
  { variable: "npm_config_store_dir", usual: ".local/share/pnpm/store" },
  { usual: ".pnpm-store" },
  { variable: "BUN_INSTALL_CACHE_DIR", usual: ".bun/install/cache" },
  { variable: "DENO_DIR", usual: ".cache/deno" },
  { variable: "PIP_CACHE_DIR", usual: ".cache/pip" },
  { variable: "UV_CACHE_DIR", usual: ".cache/uv" },
  { variable: "POETRY_CACHE_DIR", usual: ".cache/pypoetry" },
  { variable: "CARGO_HOME", usual: ".cargo", part: "{{registry,git}/**,.package-cache*,.global-cache*}" },
  { variable: "GOMODCACHE", usual: "go/pkg/mod" },
  { variable: "GOPATH", within: "pkg", usual: "go/pkg" },
  { variable: "GOCACHE", usual: ".cache/go-build" },
  { usual: ".config/go/telemetry" },
  {
    variable: "GRADLE_USER_HOME",
    usual: ".gradle",
    part: "{caches,daemon,native,wrapper,notifications,.tmp,jdks,kotlin}/**",
  },
  { usual: ".m2/repository" },
  { usual: ".ivy2/cache" },
  { variable: "COURSIER_CACHE", usual: ".cache/coursier" },
  { variable: "NUGET_PACKAGES", usual: ".nuget/packages" },
  { usual: ".local/share/NuGet" },
  { variable: "COMPOSER_CACHE_DIR", usual: ".cache/composer" },
  { variable: "GEM_HOME", usual: ".local/share/gem" },
  { usual: ".bundle/cache" },
  { variable: "CCACHE_DIR", usual: ".ccache" },
  { variable: "SCCACHE_DIR", usual: ".cache/sccache" },
  { variable: "HF_HOME", usual: ".cache/huggingface" },
  { variable: "TORCH_HOME", usual: ".cache/torch" },
  { variable: "PLAYWRIGHT_BROWSERS_PATH", usual: ".cache/ms-playwright" },
  { variable: "CYPRESS_CACHE_FOLDER", usual: ".cache/Cypress" },
  { variable: "PRE_COMMIT_HOME", usual: ".cache/pre-commit" },
  { variable: "TF_PLUGIN_CACHE_DIR", usual: ".terraform.d/plugin-cache" },
  { variable: "STACK_ROOT", usual: ".stack" },
  { usual: ".cabal/packages" },
  { variable: "HEX_HOME", usual: ".hex" },
  { variable: "JULIA_DEPOT_PATH", usual: ".julia" },
  { variable: "CONDA_PKGS_DIRS", usual: ".conda/pkgs" },
];

/** Folders in which each tool has one of its own name, and the variable that moves them. */
const SHARED = [
  ["XDG_CACHE_HOME", ".cache"],
  ["XDG_STATE_HOME", ".local/state"],
  ["XDG_DATA_HOME", ".local/share"],
  ["XDG_CONFIG_HOME", ".config"],
] as const;

/** The tool's folder that a path is in: the innermost of the known ones, else one of the shared kind, else `~/.name`. */
export function toolFolder(path: string, home: string, variables: Variables): ToolFolder | undefined {
  const known = TOOLS.map((tool) => placed(tool, home, variables)).filter(({ root }) => isBelow(path, root));
  const inner = known.toSorted((one, other) => other.root.length - one.root.length)[0];
  if (inner !== undefined) return inner;
  for (const [variable, usual] of SHARED) {
    const shared = folderOf(variables[variable]) ?? joinPath(home, usual);
    if (isBelow(path, shared)) return ownFolder(path, shared);
  }
  return isBelow(path, home) && path[home.length + 1] === "." ? ownFolder(path, home) : undefined;
}

function placed({ variable, within, usual, part }: Tool, home: string, variables: Variables): ToolFolder {
  const told = variable === undefined ? undefined : folderOf(variables[variable]);
  const root = told === undefined ? joinPath(home, usual) : within === undefined ? told : joinPath(told, within);
  return { root, target: joinPath(escapeGlob(root), part ?? "**"), isKnown: true };
}

/** `shared/NAME/**` for a path deeper than `shared/NAME`. */
function ownFolder(path: string, shared: string): ToolFolder | undefined {
  const [name, ...deeper] = path.slice(shared === "/" ? 1 : shared.length + 1).split("/");
  if (name === undefined || deeper.length === 0) return undefined;
  const root = joinPath(shared, name);
  return { root, target: `${escapeGlob(root)}/**`, isKnown: false };
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && isWithin(path, folder);
}

/** A variable's folder, where it names one in full. */
function folderOf(value: string | undefined): string | undefined {
  if (value === undefined || !value.startsWith("/") || /(^|\/)\.{1,2}(\/|$)/.test(value)) return undefined;
  const tidy = value.replace(/\/+/g, "/").replace(/\/$/, "");
  return tidy === "" ? undefined : tidy;
}
