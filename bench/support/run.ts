/** Runs one program and takes the number it prints, or the time it needs. */

export class RunFailed extends Error {
  override readonly name = "RunFailed";
}

async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new RunFailed(`${command[0]}: status ${status}: ${stderr.trim().split("\n").at(-1) ?? ""}`);
  return stdout;
}

export async function printedNumber(command: readonly string[], cwd: string): Promise<number> {
  const value = Number.parseFloat(await run(command, cwd));
  if (!Number.isFinite(value)) throw new RunFailed(`${command[0]} printed no number`);
  return value;
}

/** Milliseconds from before the start until the exit. */
export async function wallTime(command: readonly string[], cwd: string): Promise<number> {
  const began = performance.now();
  await run(command, cwd);
  return performance.now() - began;
}
