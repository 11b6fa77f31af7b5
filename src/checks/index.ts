/** `import { Hallpass } from "hallpass"`: permission checks as a library, on Bun and on Node. */
export { guarded, Hallpass, type HallpassOptions } from "./client/hallpass.ts";
export { GuardError, PermissionDenied } from "./client/permission-denied.ts";
export type { ContextVariable, Guarded, GuardOptions, Source } from "./client/guarded.ts";
export type { AskOptions } from "./client/misuse.ts";
export type { RemoteOptions } from "./client/remote.ts";
export type { Code, Outcome } from "./codes.ts";
export type { ConnectionInput } from "./config/code.ts";
export { ConfigError } from "./config/raw.ts";
export { env, file, literal, type Secret } from "./config/secret.ts";
export type { Decision } from "./decision.ts";
export type { Probed } from "./engine.ts";
export type { Logger } from "./logger.ts";
export type { Question } from "./question.ts";
