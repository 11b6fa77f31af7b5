import { expect, test } from "bun:test";
import { Status } from "./process-status.ts";

const TEXT = `
Name:	a\\nUmask:	0777
Umask:	0027
State:	S (sleeping)
Tgid:	41
NStgid:	41	7
PPid:	40
Uid:	1000	1001	1002	1003
Gid:	100	101	102	103
FDSize:	256
Groups:	4 24 100 
SigPnd:	0000000000000200
ShdPnd:	0000000000004000
SigBlk:	0000000000004000
SigIgn:	0000000000001000
CapInh:	0000000000000001
CapPrm:	000001ffffffffff
CapEff:	0000000800000002
Seccomp:	2
`;

const status = new Status(TEXT);

test("fields are read from their own lines, whatever a process calls itself", () => {
  expect(status.umask).toBe(0o027);
  expect([status.tgid, status.parent, status.fdSize, status.state, status.isFiltered]).toEqual([
    41,
    40,
    256,
    "S",
    true,
  ]);
  expect(status.innermost("NStgid")).toBe(7);
});

test("credentials are those for files", () => {
  expect(status.credentials).toEqual({ fsuid: 1003, fsgid: 103, groups: [4, 24, 100], capsLow: 2, capsHigh: 8 });
});

test("a signal is deliverable where it is neither blocked nor ignored", () => {
  expect(status.deliverableToThread).toBe(0x200n);
  expect(status.deliverable).toBe(0x200n);
});
