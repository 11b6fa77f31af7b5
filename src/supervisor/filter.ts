/** The compiler from "what is mediated" to the filter that stops those calls and no others. */
import { __X32_SYSCALL_BIT } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import type { Category } from "../policy/rule.ts";
import {
  ALLOW,
  and,
  argHigh,
  argLow,
  assemble,
  DATA_ARCH,
  DATA_NR,
  fail,
  ifAnyBit,
  ifAtLeast,
  ifEqual,
  load,
  NOTIFY,
  search,
  segmentsOf,
  type Program,
} from "./bpf.ts";
import {
  IOCTL_CHANGES,
  IOCTL_CHANGING_TYPES,
  IOCTL_PASSING,
  SYSCALL_CLASSES,
  type SyscallClass,
  type TrapClass,
  type When,
} from "./syscalls/classes.ts";
import { ARM_PRIVATE, AUDIT_ARCH, isCompat, MACHINE_ARCHES, SYSCALLS, type Arch } from "./syscalls/index.ts";

export interface FilterOptions {
  /** `connect` includes the send family; `read` stops every open. */
  readonly mediate: ReadonlySet<Category>;
  /** Stop connect(2) even where `connect` is not mediated: unix sockets made outside the session are asked. */
  readonly services: boolean;
  /** Stop kill(2) and its kin: where no Landlock scope (ABI 6) keeps signals inside. */
  readonly signals: boolean;
  /** Architectures that may call, the machine's own first. */
  readonly arches?: readonly Arch[];
}

const REFUSED = fail(Errno.ENOSYS);

/** A filter for seccomp(2), as bytes. */
export function compileFilter(options: FilterOptions): Uint8Array {
  return assemble(filterProgram(options));
}

/** The same as instructions. An architecture that is none of the machine's finds no call at all. */
export function filterProgram(options: FilterOptions): Program {
  const wanted = wantedClasses(options);
  const arches = options.arches ?? MACHINE_ARCHES;
  const byArch = arches
    .toReversed()
    .reduce<Program>((rest, arch) => ifEqual(AUDIT_ARCH[arch], archProgram(arch, wanted), rest), REFUSED);
  return [load(DATA_ARCH), ...byArch];
}

/** Which classes of classes.ts this session stops. */
export function wantedClasses(options: FilterOptions): ReadonlySet<TrapClass> {
  const wanted = new Set<TrapClass>(["guard"]);
  for (const category of options.mediate) wanted.add(category);
  // The magic path of requests in advance is an execve, whatever is mediated (SPEC §6).
  if (options.mediate.size > 0) wanted.add("exec");
  if (options.services) wanted.add("services");
  if (options.signals) wanted.add("signals");
  return wanted;
}

/** True if the filter of these options stops this call at least for some arguments. */
export function isTrapped(name: string, wanted: ReadonlySet<TrapClass>): boolean {
  const found = SYSCALL_CLASSES.get(name);
  return found?.kind === "trap" && found.traps.some((trap) => wanted.has(trap.for));
}

function archProgram(arch: Arch, wanted: ReadonlySet<TrapClass>): Program {
  const programs = new Map<number, Program>();
  for (const [name, number] of Object.entries(SYSCALLS[arch])) {
    programs.set(number, callProgram(SYSCALL_CLASSES.get(name), wanted, isCompat(arch)));
  }
  const table = search(segmentsOf(programs, REFUSED));
  return [load(DATA_NR), ...besidesTable(arch, table)];
}

/** Numbers beyond the tables: x32 calls carry a bit of their own and are refused; private arm calls pass. */
function besidesTable(arch: Arch, table: Program): Program {
  if (arch === "x86_64") return ifAnyBit(__X32_SYSCALL_BIT, REFUSED, table);
  if (arch !== "arm") return table;
  return ifAtLeast(ARM_PRIVATE.end, REFUSED, ifAtLeast(ARM_PRIVATE.first, ALLOW, table));
}

function callProgram(found: SyscallClass | undefined, wanted: ReadonlySet<TrapClass>, compat: boolean): Program {
  if (found === undefined) return REFUSED;
  if (found.kind === "pass") return ALLOW;
  if (found.kind === "refuse") return found.errno === Errno.ENOSYS ? REFUSED : fail(found.errno);
  const traps = found.traps.filter((trap) => wanted.has(trap.for));
  if (traps.some((trap) => trap.when === "always")) return NOTIFY;
  return traps.reduceRight<Program>((rest, trap) => whenProgram(trap, compat, rest), ALLOW);
}

/** Notifies where `when` holds, else goes on with `otherwise`. */
function whenProgram(when: When, compat: boolean, otherwise: Program): Program {
  switch (when.when) {
    case "always":
      return NOTIFY;
    case "bits":
      return [load(argLow(when.arg)), ...ifAnyBit(when.mask, NOTIFY, otherwise)];
    case "one-of":
      return [load(argLow(when.arg)), ...chain(when.values, NOTIFY, otherwise)];
    case "non-zero":
      return nonZeroProgram(when.ints, when.pointers, compat, otherwise);
    case "ioctl":
      return ioctlProgram(when.arg, otherwise);
  }
}

function chain(values: readonly number[], yes: Program, no: Program): Program {
  return values.reduceRight<Program>((rest, value) => ifEqual(value, yes, rest), no);
}

function nonZeroProgram(
  ints: readonly number[],
  pointers: readonly number[],
  compat: boolean,
  otherwise: Program,
): Program {
  let program = NOTIFY;
  for (const index of pointers) {
    const high: Program = compat ? otherwise : [load(argHigh(index)), ...ifEqual(0, otherwise, program)];
    program = [load(argLow(index)), ...ifEqual(0, high, program)];
  }
  for (const index of ints) program = [load(argLow(index)), ...ifEqual(0, otherwise, program)];
  return program;
}

const IOCTL_TYPE = 0xff00;

/** First by family, then by the whole request, so that a terminal's or a socket's ioctl costs few steps. */
function ioctlProgram(arg: number, otherwise: Program): Program {
  const families = new Map<number, Program>();
  for (const type of new Set([...IOCTL_CHANGES, ...IOCTL_PASSING].map((request) => request & IOCTL_TYPE))) {
    const changes = IOCTL_CHANGES.filter((request) => (request & IOCTL_TYPE) === type);
    families.set(type, [load(argLow(arg)), ...chain(changes, NOTIFY, otherwise)]);
  }
  for (const type of IOCTL_CHANGING_TYPES) {
    families.set(type << 8, [load(argLow(arg)), ...chain(IOCTL_PASSING, otherwise, NOTIFY)]);
  }
  return [load(argLow(arg)), and(IOCTL_TYPE), ...search(segmentsOf(families, otherwise))];
}
