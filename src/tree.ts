/** Where the parts of hallpass lie: the same from the sources and from what `make` bundles into build/app. */
import { join } from "node:path";

/** Set by the Makefile in what it bundles. */
declare const HALLPASS_BUNDLED: boolean | undefined;

/** Runs from what `make` bundled. */
export const isBundled = typeof HALLPASS_BUNDLED !== "undefined";

/** The root of hallpass's own tree; the bundler writes the folder it runs in for `import.meta.dirname`, so a bundle asks its own name. */
export const TREE = isBundled
  ? Bun.main.slice(0, Bun.main.lastIndexOf("/build/app/"))
  : join(import.meta.dirname, "..");

/** Something that `make` built. */
export function built(name: string): string {
  return join(TREE, "build", name);
}

/** The program of a worker, by the path of its source below src/ without `.ts`. */
export function workerProgram(name: string): string {
  return isBundled ? built(`app/${name}.js`) : join(TREE, "src", `${name}.ts`);
}
