/** Landlock (landlock(7)). The ABI is a value, so that tests can work with an older one. */
import { must } from "./errno.ts";
import { lib } from "./lib.ts";

/** This kernel's ABI: 0 where there is no Landlock or it is switched off. */
export function landlockAbi(): number {
  return Math.max(lib.hp_landlock_abi(), 0);
}

/** The part of `struct landlock_ruleset_attr` that an ABI knows. */
function attributeSize(abi: number): number {
  return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

/** A ruleset fd (CLOEXEC) that the caller owns; throws. */
export function createRuleset(abi: number, handledFs: number, handledNet: number, scoped: number): number {
  return must(lib.hp_landlock_create(handledFs, handledNet, scoped, attributeSize(abi)), "landlock_create_ruleset");
}

/** Holds the object that `fd` is open on (O_PATH will do), not its name. 0 or -errno. */
export function allowPath(ruleset: number, fd: number, access: number): number {
  return lib.hp_landlock_allow_path(ruleset, fd, access);
}

export function allowPort(ruleset: number, port: number, access: number): number {
  return lib.hp_landlock_allow_port(ruleset, port, access);
}

/** The calling thread enters the domain for good: probes and tests only. */
export function restrictSelf(ruleset: number): number {
  return lib.hp_landlock_restrict_self(ruleset, 0);
}
