import { expect, test } from "bun:test";
import { HANDLERS } from "./handlers/table.ts";
import { SYSCALL_CLASSES } from "./syscalls/classes.ts";

test("every call that the filter can stop has a handler, and no other has", () => {
  const trapped = [...SYSCALL_CLASSES].filter(([, found]) => found.kind === "trap").map(([name]) => name);
  expect(Object.keys(HANDLERS).toSorted()).toEqual(trapped.toSorted());
});
