/** Waiting for a condition; no test sleeps for a time it guessed. */

export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

const STEP_MS = 10;

/** Looks again and again until `look` gives something other than undefined, null or false. `what` says what was waited for. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  timeoutMs = 10_000,
): Promise<Exclude<T, undefined | null | false>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, undefined | null | false>;
    if (performance.now() > end) throw new TimedOut(`${what}: not within ${timeoutMs} ms`);
    await Bun.sleep(STEP_MS);
  }
}

/** True while a process (not a zombie) with this pid exists. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await Bun.file(`/proc/${pid}/stat`).text();
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
