/** Random calls made bare and inside hallpass: what differs. */
import { mkdirSync } from "node:fs";
import { makePlaces, type Places } from "../../support/places.ts";
import { give, ordinaryUser, type User } from "../../support/user.ts";
import { DEPTH, randomCalls } from "./random-calls.ts";
import { contents, runScript } from "./scripts.ts";

export interface Compared {
  /** Lines whose result is another inside. */
  readonly results: string[];
  readonly inside: string[];
  readonly bare: string[];
}

export async function compareRandom(
  seed: number,
  count: number,
  flags: readonly string[],
  who: "root" | "user" | "user under root",
): Promise<Compared> {
  const user = who === "root" ? undefined : ordinaryUser();
  const lines = randomCalls(seed, count);
  using bare = makePlaces(user);
  using inside = makePlaces(user);
  const options = user ? { user, becomes: who === "user under root" } : {};
  const without = await runScript(bare, lines, { ...options, folder: deepFolder(bare, user) });
  // A folder that a user cannot read could hold guarded files and would be asked about: allowed, so that it is not.
  const allowing = [...flags, "--allow-path", `${inside.project}/**`];
  const within = await runScript(inside, lines, { ...options, folder: deepFolder(inside, user), flags: allowing });
  const results = lines.flatMap((line, index) =>
    without[index] === within[index] ? [] : [`${index + 1}: ${line}: ${within[index]}, bare ${without[index]}`],
  );
  return { results, inside: contents(inside.project), bare: contents(bare.project) };
}

function deepFolder(places: Places, user: User | undefined): string {
  let folder = places.project;
  for (let depth = 0; depth < DEPTH; depth++) {
    folder += "/z";
    mkdirSync(folder);
    if (user) give(folder, user);
  }
  return folder;
}
