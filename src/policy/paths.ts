/** Absolute, tidy spelling of paths and globs; no disk is looked at. */
import { escapeGlob, GlobMistake } from "./glob.ts";

export interface Places {
  readonly home: string;
  readonly cwd: string;
}

/** A glob made absolute: `~` is the home, a relative one starts at cwd; `//`, `.` and `..` are taken out as `cd` does. */
export function absoluteGlob(glob: string, places: Places): string {
  if (/^\{[/~]/.test(glob)) throw new GlobMistake("a path begins with / or ~, before any {", 0);
  if (glob.startsWith("~")) {
    if (glob.length > 1 && glob[1] !== "/")
      throw new GlobMistake("~ is your own home only; write another's in full", 0);
    return tidyGlob(escapeGlob(places.home) + glob.slice(1), 0);
  }
  return glob.startsWith("/")
    ? tidyGlob(glob, 0)
    : tidyGlob(`${escapeGlob(places.cwd)}/${glob}`, places.cwd.length + 1);
}

function tidyGlob(glob: string, added: number): string {
  const names: string[] = [];
  let offset = 0;
  for (const name of glob.split("/")) {
    if (name === "..") {
      const up = names.pop();
      if (up !== undefined && hasGlob(up))
        throw new GlobMistake(".. cannot follow a glob", Math.max(0, offset - added));
    } else if (name !== "" && name !== ".") names.push(name);
    offset += name.length + 1;
  }
  return `/${names.join("/")}`;
}

/** Whether an unescaped glob character is in the text. */
export function hasGlob(text: string): boolean {
  return /[*?[{]/.test(text.replace(/\\./gsu, ""));
}

/** The path of the folder that a path is in; `/` is its own. */
export function parentPath(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

export function joinPath(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}
