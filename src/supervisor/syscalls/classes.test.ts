import { describe, expect, test } from "bun:test";
import { SYSCALL_CLASSES } from "./classes.ts";
import { archOf, AUDIT_ARCH, SYSCALLS, syscallName, type Arch } from "./index.ts";

const ARCHES = Object.keys(SYSCALLS) as Arch[];
const NEWEST = { name: "file_setattr", number: 469 };

describe("every system call", () => {
  for (const arch of ARCHES) {
    test(`of ${arch} has a class`, () => {
      expect(Object.keys(SYSCALLS[arch]).filter((name) => !SYSCALL_CLASSES.has(name))).toEqual([]);
    });

    test(`of ${arch} has a number of its own, up to Linux 6.18`, () => {
      const numbers = Object.values(SYSCALLS[arch]);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(Math.max(...numbers)).toBe(NEWEST.number);
      expect(SYSCALLS[arch][NEWEST.name]).toBe(NEWEST.number);
      expect(numbers.length).toBeGreaterThan(300);
    });

    test(`of ${arch} is found by its number`, () => {
      for (const [name, number] of Object.entries(SYSCALLS[arch])) expect(syscallName(arch, number)).toBe(name);
      expect(archOf(AUDIT_ARCH[arch] | 0)).toBe(arch);
    });
  }
});

test("no class is kept for a call that no architecture has", () => {
  const known = new Set(ARCHES.flatMap((arch) => Object.keys(SYSCALLS[arch])));
  expect([...SYSCALL_CLASSES.keys()].filter((name) => !known.has(name))).toEqual([]);
});

test("an architecture that is none of the four is not known", () => {
  expect(archOf(0x40000015)).toBeUndefined();
});
