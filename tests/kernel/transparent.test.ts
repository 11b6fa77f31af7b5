/** Calls inside the project come to the same as without hallpass: results, error numbers, and what is there afterwards. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { isRoot } from "../support/needs.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { give, ordinaryUser, type User } from "../support/user.ts";
import { AT_FDCWD, contents, runScript } from "./support/scripts.ts";

const HERE = AT_FDCWD;
const LONG = "n".repeat(255);
const TOO_LONG = "n".repeat(256);
const times = (...values: bigint[]): string => `&${Buffer.from(new BigInt64Array(values).buffer).toString("hex")}`;
const words = (...values: number[]): string => `&${Buffer.from(new Uint32Array(values).buffer).toString("hex")}`;
const how = (flags: number, mode: number, resolve: number): string =>
  times(BigInt(flags), BigInt(mode), BigInt(resolve));

const O = { WRONLY: 1, RDWR: 2, CREAT: 0o100, EXCL: 0o200, TRUNC: 0o1000, APPEND: 0o2000, NONBLOCK: 0o4000 } as const;
const NEW = O.WRONLY | O.CREAT;
const DIRECTORY = process.arch === "arm64" ? 0o40000 : 0o200000;
const NOFOLLOW = process.arch === "arm64" ? 0o100000 : 0o400000;
const TMPFILE = 0o20000000 | DIRECTORY;

/** A tree to begin with: d (with d/e), f ("file"), l -> f, dl -> d, dang -> none, loop -> loop, fifo. */
const TREE = [
  `mkdirat ${HERE} "d 0755`,
  `mkdirat ${HERE} "d/e 0755`,
  `openat ${HERE} "f ${NEW} 0644`,
  `write $3 "file 4`,
  `symlinkat "f ${HERE} "l`,
  `symlinkat "d ${HERE} "dl`,
  `symlinkat "none ${HERE} "dang`,
  `symlinkat "loop ${HERE} "loop`,
  `mknodat ${HERE} "fifo 010644 0`,
];

const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  "opening for writing": [
    `openat ${HERE} "f ${O.WRONLY} 0`,
    `write $-1 "FILE 2`,
    `openat ${HERE} "f ${O.WRONLY | O.APPEND} 0`,
    `write $-1 "more 4`,
    `openat ${HERE} "l ${O.RDWR} 0`,
    `openat ${HERE} "l ${O.WRONLY | NOFOLLOW} 0`,
    `openat ${HERE} "dang ${O.WRONLY} 0`,
    `openat ${HERE} "dang ${NEW | O.EXCL} 0600`,
    `openat ${HERE} "dang ${NEW | NOFOLLOW} 0600`,
    `openat ${HERE} "dang ${NEW} 0640`,
    "look none",
    `openat ${HERE} "loop ${O.WRONLY} 0`,
    `openat ${HERE} "loop ${NEW} 0600`,
    `openat ${HERE} "none/x ${NEW} 0600`,
    `openat ${HERE} "f/x ${NEW} 0600`,
    `openat ${HERE} "f/ ${O.WRONLY} 0`,
    `openat ${HERE} "new/ ${NEW} 0600`,
    `openat ${HERE} "d ${O.WRONLY} 0`,
    `openat ${HERE} "d ${NEW} 0600`,
    `openat ${HERE} "d/. ${O.WRONLY} 0`,
    `openat ${HERE} "d/.. ${NEW} 0600`,
    `openat ${HERE} "f ${NEW | O.EXCL} 0600`,
    `openat ${HERE} "x ${NEW | O.EXCL} 06777`,
    "look x",
    `openat ${HERE} "f ${O.WRONLY | DIRECTORY} 0`,
    `openat ${HERE} "f ${O.TRUNC} 0`,
    "look f",
    `openat ${HERE} "" ${NEW} 0600`,
    `openat ${HERE} - ${NEW} 0600`,
    `openat ${HERE} 1 ${NEW} 0600`,
    `openat ${HERE} !30 ${NEW} 0600`,
    `openat ${HERE} "${LONG} ${NEW} 0600`,
    `openat ${HERE} "${TOO_LONG} ${NEW} 0600`,
    `openat 999 "x2 ${NEW} 0600`,
    `openat $3 "x2 ${NEW} 0600`,
    `openat ${HERE} "d ${TMPFILE | O.RDWR} 0600`,
    `openat ${HERE} "f ${TMPFILE | O.RDWR} 0600`,
    `openat ${HERE} "d ${TMPFILE} 0600`,
    `openat ${HERE} "fifo ${O.WRONLY | O.NONBLOCK} 0`,
    `openat ${HERE} "fifo ${O.RDWR} 0`,
    `openat ${HERE} "dl/../d/./e/y ${NEW} 0666`,
    `openat ${HERE} "./dl/e/z%ff%fe ${NEW} 0666`,
    `openat ${HERE} "f 010000001 0`,
    `openat ${HERE} "f ${O.WRONLY | 0o2000000} 0`,
  ],
  "names made and removed": [
    "umask 077",
    `mkdirat ${HERE} "m1 0777`,
    "umask 0",
    `mkdirat ${HERE} "m2 07777`,
    "look m1",
    "look m2",
    `mkdirat ${HERE} "m2 0777`,
    `mkdirat ${HERE} "m3/ 0777`,
    `mkdirat ${HERE} "l/ 0777`,
    `mkdirat ${HERE} "dang 0777`,
    `mkdirat ${HERE} "f/x 0777`,
    `mkdirat ${HERE} ". 0777`,
    `mkdirat ${HERE} ".. 0777`,
    `mkdirat ${HERE} "/ 0777`,
    `mkdirat ${HERE} "d/e/.. 0777`,
    `mknodat ${HERE} "n1 0100666 0`,
    `mknodat ${HERE} "n2 0140666 0`,
    `mknodat ${HERE} "n3 010666 0`,
    `mknodat ${HERE} "n4 040666 0`,
    `mknodat ${HERE} "n5/ 0100666 0`,
    `symlinkat "anything ${HERE} "s1`,
    `symlinkat "" ${HERE} "s2`,
    `symlinkat "x ${HERE} "f`,
    `symlinkat "x ${HERE} "s3/`,
    `symlinkat - ${HERE} "s4`,
    `unlinkat ${HERE} "none 0`,
    `unlinkat ${HERE} "d 0`,
    `unlinkat ${HERE} "f/ 0`,
    `unlinkat ${HERE} "l/ 0`,
    `unlinkat ${HERE} ". 0`,
    `unlinkat ${HERE} "/ 0`,
    `unlinkat ${HERE} "f 0x200`,
    `unlinkat ${HERE} "d 0x200`,
    `unlinkat ${HERE} "d/e/. 0x200`,
    `unlinkat ${HERE} "d/e/.. 0x200`,
    `unlinkat ${HERE} "dl 0x200`,
    `unlinkat ${HERE} "dl/ 0x200`,
    `unlinkat ${HERE} "d/e/ 0x200`,
    `unlinkat ${HERE} "l 0`,
    `unlinkat ${HERE} "f 7`,
    `unlinkat ${HERE} "loop 0`,
  ],
  "links and renames": [
    `linkat ${HERE} "f ${HERE} "h1 0`,
    `linkat ${HERE} "l ${HERE} "h2 0`,
    `linkat ${HERE} "l ${HERE} "h3 0x400`,
    `linkat ${HERE} "dang ${HERE} "h4 0x400`,
    `linkat ${HERE} "d ${HERE} "h5 0`,
    `linkat ${HERE} "f ${HERE} "h1 0`,
    `linkat ${HERE} "f ${HERE} "h6/ 0`,
    `linkat ${HERE} "none ${HERE} "h7 0`,
    `linkat ${HERE} "f ${HERE} "none/h 0`,
    `linkat ${HERE} "f ${HERE} "h8 3`,
    `linkat ${HERE} "/proc/self/fd/4 ${HERE} "h9 0x400`,
    `renameat2 ${HERE} "f ${HERE} "d/f 0`,
    `renameat2 ${HERE} "d/f ${HERE} "f 0`,
    `renameat2 ${HERE} "f ${HERE} "h1 0`,
    `renameat2 ${HERE} "none ${HERE} "x 0`,
    `renameat2 ${HERE} "d ${HERE} "d/e/d 0`,
    `renameat2 ${HERE} "d ${HERE} "f 0`,
    `renameat2 ${HERE} "h1 ${HERE} "d 0`,
    `renameat2 ${HERE} "h1 ${HERE} "d2/ 0`,
    `renameat2 ${HERE} "d/ ${HERE} "d2/ 0`,
    `renameat2 ${HERE} "d2 ${HERE} ". 0`,
    `renameat2 ${HERE} "d2/.. ${HERE} "q 0`,
    `renameat2 ${HERE} "h1 ${HERE} "h2 1`,
    `renameat2 ${HERE} "h1 ${HERE} "d2 2`,
    `renameat2 ${HERE} "h1 ${HERE} "none 2`,
    `renameat2 ${HERE} "h1 ${HERE} "x 3`,
    `renameat2 ${HERE} "h1 ${HERE} "x 8`,
    `renameat2 ${HERE} "l ${HERE} "l2 0`,
    `renameat2 ${HERE} "${TOO_LONG} ${HERE} "x 0`,
    `renameat2 ${HERE} "h2 ${HERE} "${LONG} 0`,
    `openat ${HERE} ". ${TMPFILE | O.RDWR} 0640`,
    `linkat $-1 "" ${HERE} "t1 0x1000`,
    `linkat $-2 "x ${HERE} "t2 0x1000`,
  ],
  "modes, owners, times and sizes": [
    `fchmodat ${HERE} "f 0600`,
    `fchmodat ${HERE} "l 04755`,
    `fchmodat ${HERE} "dang 0600`,
    `fchmodat ${HERE} "f/ 0600`,
    `fchmodat ${HERE} "d/ 0700`,
    `fchmodat2 ${HERE} "l 0600 0x100`,
    `fchmodat2 ${HERE} "f 0640 0`,
    `fchmodat2 ${HERE} "f 0640 4`,
    `fchmodat2 $3 "" 0644 0x1000`,
    `fchownat ${HERE} "f -1 -1 0`,
    `fchownat ${HERE} "l -1 -1 0x100`,
    `fchownat ${HERE} "none -1 -1 0`,
    `fchownat ${HERE} "f -1 -1 8`,
    `fchownat $3 "" -1 -1 0x1000`,
    "fchmod $3 0604",
    "fchmod 999 0604",
    "fchown $3 -1 -1",
    `openat ${HERE} "f 010000000 0`,
    "fchmod $-1 0604",
    "fchown $-2 -1 -1",
    'fsetxattr $-3 "user.a &31 1 0',
    `utimensat ${HERE} "f ${times(100n, 7n, 200n, 9n)} 0`,
    `utimensat ${HERE} "f ${times(1n, 1_000_000_000n, 1n, 0n)} 0`,
    `utimensat ${HERE} "none ${times(1n, 1_073_741_822n, 1n, 1_073_741_822n)} 0`,
    `utimensat ${HERE} "l - 0x100`,
    `utimensat ${HERE} "l - 4`,
    `utimensat $3 - ${times(-5n, 0n, -5n, 0n)} 0`,
    `utimensat ${HERE} - - 0`,
    `utimensat ${HERE} "f 8 0`,
    'truncate "f 2',
    "look f",
    'truncate "l 10',
    'truncate "d 1',
    'truncate "fifo 1',
    'truncate "none 1',
    'truncate "f -1',
    'truncate "f 0x7fffffffffffffff',
    "look f",
    `setxattr "f "user.a &3132 2 0`,
    `setxattr "f "user.a &3132 2 1`,
    `setxattr "f "user.b &3132 2 2`,
    `setxattr "f "user.c &3132 2 8`,
    `setxattr "f "bad &31 1 0`,
    `setxattr "f "" &31 1 0`,
    `setxattr "f "user.${"n".repeat(255)} &31 1 0`,
    `setxattr "f "user.a @70000 70000 0`,
    `lsetxattr "l "user.a &31 1 0`,
    `lsetxattr "f "user.d - 0 0`,
    `fsetxattr $3 "user.e &31 1 0`,
    `removexattr "f "user.a`,
    `removexattr "f "user.a`,
    `lremovexattr "f "user.d`,
    `fremovexattr $3 "user.e`,
    `fremovexattr 999 "user.e`,
  ],
  openat2: [
    `openat2 ${HERE} "a ${how(NEW, 0o600, 0)} 24`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0o600, 0)} 24`,
    `openat2 ${HERE} "l ${how(O.WRONLY, 0, 4)} 24`,
    `openat2 ${HERE} "dl/x ${how(NEW, 0o600, 4)} 24`,
    `openat2 ${HERE} "dl/x ${how(NEW, 0o600, 0)} 24`,
    `openat2 ${HERE} "../x ${how(NEW, 0o600, 8)} 24`,
    `openat2 ${HERE} "/x ${how(NEW, 0o600, 8)} 24`,
    `openat2 ${HERE} "d/../y ${how(NEW, 0o600, 8)} 24`,
    `openat ${HERE} "d ${DIRECTORY} 0`,
    `openat2 $-1 "/in ${how(NEW, 0o600, 16)} 24`,
    `openat2 $-2 "../../in2 ${how(NEW, 0o600, 16)} 24`,
    `openat2 $-3 "/e/../in ${how(O.WRONLY, 0, 16)} 24`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0, 24)} 24`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0, 64)} 24`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0, 0)} 16`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0, 0)}0000000000000000 32`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0, 0)}0100000000000000 32`,
    `openat2 ${HERE} "f ${how(O.WRONLY, 0, 0)} 5000`,
    `openat2 ${HERE} "f - 24`,
    `openat2 ${HERE} "f ${how(0, 0, 0)} 24`,
    `openat2 ${HERE} "f ${how(0o10000000, 0, 0)} 24`,
    `openat2 ${HERE} "f ${how(0o10000001, 0, 0)} 24`,
    `openat2 ${HERE} "none ${how(0, 0, 0)} 24`,
    `openat2 ${HERE} "/proc/self/fd/4 ${how(O.WRONLY, 0, 2)} 24`,
  ],
  "paths through /proc": [
    `openat ${HERE} "/proc/self/fd/4 ${O.WRONLY} 0`,
    `openat ${HERE} "/proc/thread-self/fd/4 ${O.WRONLY | O.APPEND} 0`,
    `openat ${HERE} "/dev/fd/4 ${NEW} 0600`,
    `openat ${HERE} "/proc/self/fd/999 ${O.WRONLY} 0`,
    `openat ${HERE} "/proc/self/fd/4/x ${NEW} 0600`,
    `openat ${HERE} "/proc/self/cwd/p1 ${NEW} 0600`,
    `openat ${HERE} "/proc/self/root/proc/self/cwd/p2 ${NEW} 0600`,
    `mkdirat ${HERE} "/proc/self/cwd/p3 0755`,
    `renameat2 ${HERE} "/proc/self/cwd/p1 ${HERE} "/proc/thread-self/cwd/p4 0`,
    `openat ${HERE} "/proc/self/comm ${O.WRONLY} 0`,
    'write $-1 "renamed 7',
    `symlinkat "/proc/self/fd/4 ${HERE} "magic`,
    `openat ${HERE} "magic ${O.WRONLY} 0`,
    `openat ${HERE} "magic ${O.WRONLY | NOFOLLOW} 0`,
    `openat ${HERE} "magic ${NEW} 0600`,
    `fchmodat ${HERE} "magic 0611`,
    `unlinkat ${HERE} "magic 0`,
    `openat ${HERE} ". ${DIRECTORY} 0`,
    `openat ${HERE} "/proc/self/fd/14/p5 ${NEW} 0600`,
  ],
  "a folder that is gone": [
    `mkdirat ${HERE} "gone 0755`,
    `chdir "gone`,
    `unlinkat ${HERE} "../gone 0x200`,
    `openat ${HERE} "x ${NEW} 0600`,
    `mkdirat ${HERE} "x 0755`,
    `openat ${HERE} "../back ${NEW} 0600`,
    `openat ${HERE} "./x ${O.WRONLY} 0`,
    `openat ${HERE} ". ${O.WRONLY} 0`,
  ],
};

const COMPAT: readonly string[] = [
  `32 open "c1 ${NEW} 0640`,
  `32 creat "c2 0600`,
  `32 mkdir "c3 0700`,
  '32 rename "c2 "c4',
  '32 link "c4 "c5',
  '32 symlink "c5 "c6',
  '32 chmod "c6 0604',
  '32 lchown "c6 0xffff 0xffff',
  '32 chown32 "c4 0xffffffff 0xffffffff',
  '32 truncate "c4 5',
  '32 truncate64 "c4 3 0',
  "look c4",
  '32 truncate "c4 0xffffffff',
  `32 utime "c4 ${words(100, 200)}`,
  `32 utimes "c4 ${words(100, 1, 200, 2)}`,
  `32 utimes "c4 ${words(100, 2_000_000, 200, 2)}`,
  `32 utimensat ${HERE} "c4 ${words(1, 2, 3, 4)} 0`,
  `32 utimensat_time64 ${HERE} "c4 ${times(1n, 2n, 3n, 4n)} 0`,
  `32 openat ${HERE} "none ${O.WRONLY} 0`,
  '32 unlink "c5',
  '32 rmdir "c3',
  '32 mknod "c7 010600 0',
];

interface Manner {
  readonly what: string;
  readonly flags: readonly string[];
  /** The calls are made in the folder outside. */
  readonly isOutside?: boolean;
  /** No fence stands behind what is continued. */
  readonly isBare?: boolean;
}

/** What says ENOSYS where nothing stands behind it: the flags of openat2 may be others by the time that the kernel looks. */
const NEEDS_FENCE = `openat2 ${HERE} "f ${how(0o10000000, 0, 0)} 24`;

const MANNERS: readonly Manner[] = [
  { what: "inside", flags: ["--prompt=deny"] },
  { what: "inside without a fence", flags: ["--prompt=deny", "--fence=off"], isBare: true },
  { what: "outside, where each call is asked and allowed", flags: ["--prompt=allow"], isOutside: true },
];

async function both(user: User | undefined, every: readonly string[], manner: Manner): Promise<void> {
  const lines = manner.isBare ? every.filter((line) => line !== NEEDS_FENCE) : every;
  using bare = makePlaces(user);
  using inside = makePlaces(user);
  const folder = (places: Places): string => (manner.isOutside ? places.outside : places.project);
  const options = user ? { user } : {};
  const without = await runScript(bare, lines, { ...options, folder: folder(bare) });
  const within = await runScript(inside, lines, { ...options, folder: folder(inside), flags: manner.flags });
  const told = (results: readonly string[]): string[] =>
    results.map((result, index) => `${lines[index]!.slice(0, 90)} = ${result}`);
  expect(told(within)).toEqual(told(without));
  expect(contents(folder(inside))).toEqual(contents(folder(bare)));
}

for (const [who, user] of [
  ["root", undefined],
  ["a user", ordinaryUser()],
] as const) {
  if (who === "root" && !isRoot) continue;
  for (const manner of MANNERS) {
    describe(`${manner.what}, as ${who}`, () => {
      for (const [name, lines] of Object.entries(SCRIPTS)) {
        test(`${name}: the same as bare`, () => both(user, [...TREE, ...lines], manner), 60_000);
      }
      if (process.arch === "x64") test("32-bit calls: the same as bare", () => both(user, COMPAT, manner), 60_000);
    });
  }
}

const places: Places[] = [];
afterAll(() => places.forEach((one) => one[Symbol.dispose]()));

test("what the kernel refuses a user in the project is refused in the same words", async () => {
  const user = ordinaryUser();
  const lines = [
    `openat ${HERE} "ro/x ${NEW} 0600`,
    `openat ${HERE} "ro/theirs ${O.WRONLY} 0`,
    `mkdirat ${HERE} "ro/m 0755`,
    `unlinkat ${HERE} "ro/theirs 0`,
    `fchmodat ${HERE} "ro/theirs 0777`,
    `utimensat ${HERE} "ro/theirs ${times(1n, 0n, 1n, 0n)} 0`,
    `openat ${HERE} "dark/x ${NEW} 0600`,
    `openat ${HERE} "sticky/theirs ${NEW} 0600`,
    `unlinkat ${HERE} "sticky/theirs 0`,
    `linkat ${HERE} "ro/theirs ${HERE} "mine 0`,
    `mknodat ${HERE} "device 020600 0x103`,
    `fchownat ${HERE} "own 0 0 0`,
  ];
  const results: string[][] = [];
  for (const flags of [undefined, ["--prompt=deny"]] as const) {
    const one = makePlaces(user);
    places.push(one);
    for (const [name, mode] of [
      ["ro", 0o755],
      ["dark", 0o700],
      ["sticky", 0o1777],
    ] as const) {
      mkdirSync(`${one.project}/${name}`);
      chmodSync(`${one.project}/${name}`, mode);
    }
    for (const file of ["ro/theirs", "sticky/theirs"]) await Bun.write(`${one.project}/${file}`, "theirs");
    await Bun.write(`${one.project}/own`, "own");
    give(`${one.project}/own`, user);
    results.push(await runScript(one, lines, { user, ...(flags ? { flags } : {}) }));
  }
  expect(results[1]).toEqual(results[0]);
}, 60_000);
