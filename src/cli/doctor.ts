/** `hallpass doctor`: what works here, what does not, and what follows from it. */
import { arch, release } from "node:os";

export interface Finding {
  readonly id: string;
  readonly what: string;
  /** `partly`: hallpass runs, with less. */
  readonly state: "yes" | "partly" | "no";
  readonly detail: string;
  /** What it means for the user, and what to do. */
  readonly follows?: string;
}

/** 0 where hallpass can run. */
export async function doctor(isJson: boolean, env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const { probeAll } = await import("./doctor-probes.ts");
  const findings = probeAll(env);
  const works = findings.every((finding) => finding.state !== "no");
  const system = { kernel: release(), machine: arch() };
  process.stdout.write(
    isJson ? `${JSON.stringify({ ...system, works, findings })}\n` : report(system, works, findings),
  );
  return works ? 0 : 1;
}

const MARKS = { yes: "ok     ", partly: "limited", no: "MISSING" } as const;

export function report(
  system: { kernel: string; machine: string },
  works: boolean,
  findings: readonly Finding[],
): string {
  return [
    `Linux ${system.kernel} on ${system.machine}`,
    ...findings.flatMap(({ state, what, detail, follows }) => [
      `${MARKS[state]}  ${what}: ${detail}`,
      ...(follows === undefined ? [] : [`         ${follows}`]),
    ]),
    works ? "hallpass can run here" : "hallpass cannot run here",
    "",
  ].join("\n");
}
