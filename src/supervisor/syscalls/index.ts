/** System calls by architecture: name to number and back. */
import { AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, AUDIT_ARCH_I386, AUDIT_ARCH_X86_64 } from "../../../ffi/constants.ts";
import { AARCH64 } from "./aarch64.ts";
import { ARM } from "./arm.ts";
import { I386 } from "./i386.ts";
import { X86_64 } from "./x86_64.ts";

export type Arch = "x86_64" | "i386" | "aarch64" | "arm";

export const SYSCALLS: Readonly<Record<Arch, Readonly<Record<string, number>>>> = {
  x86_64: X86_64,
  i386: I386,
  aarch64: AARCH64,
  arm: ARM,
};

/** What `seccomp_data.arch` holds. */
export const AUDIT_ARCH: Readonly<Record<Arch, number>> = {
  x86_64: AUDIT_ARCH_X86_64,
  i386: AUDIT_ARCH_I386,
  aarch64: AUDIT_ARCH_AARCH64,
  arm: AUDIT_ARCH_ARM,
};

/** The architectures that programs on this machine may use, its own first. */
export const MACHINE_ARCHES: readonly Arch[] = process.arch === "arm64" ? ["aarch64", "arm"] : ["x86_64", "i386"];

/** Calls with 32-bit pointers and structures. */
export function isCompat(arch: Arch): boolean {
  return arch === "i386" || arch === "arm";
}

/** Private numbers of 32-bit arm (cacheflush, set_tls, ...), which lie far above all others and change nothing outside. */
export const ARM_PRIVATE = { first: 0xf0000, end: 0xf0800 } as const;

function namesOf(arch: Arch): readonly (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (const [name, number] of Object.entries(SYSCALLS[arch])) names[number] = name;
  return names;
}

const NAMES: Readonly<Record<Arch, readonly (string | undefined)[]>> = {
  x86_64: namesOf("x86_64"),
  i386: namesOf("i386"),
  aarch64: namesOf("aarch64"),
  arm: namesOf("arm"),
};

/** The architecture of a notification's `arch` word (unsigned), or undefined. */
export function archOf(auditArch: number): Arch | undefined {
  switch (auditArch >>> 0) {
    case AUDIT_ARCH_X86_64:
      return "x86_64";
    case AUDIT_ARCH_I386:
      return "i386";
    case AUDIT_ARCH_AARCH64:
      return "aarch64";
    case AUDIT_ARCH_ARM:
      return "arm";
    default:
      return undefined;
  }
}

/** The name of a number, or undefined for a gap or a number newer than the tables. */
export function syscallName(arch: Arch, number: number): string | undefined {
  return NAMES[arch][number];
}
