/** Where the parts of the source tree lie, for tests in any folder. */
import { join } from "node:path";

/** The root of the source tree. */
export const tree = join(import.meta.dir, "..", "..");

/** Another hallpass to test than the tree's own, an installed one say. */
export const hallpassElsewhere = process.env.HALLPASS_UNDER_TEST;

/** The program as a user starts it. */
export const hallpassProgram = hallpassElsewhere ?? join(tree, "bin", "hallpass");

/** The cases from public bug reports, beside the clone; not part of the project, so they may be absent. */
export const casesFolder = join(tree, "..", "shared", "cases");
