/** Terminals by descriptor. >= 0 or -errno. */
import { TCGETS, TCSETS, TIOCGPGRP, TIOCGPTN, TIOCGPTPEER, TIOCGWINSZ } from "./constants.ts";
import { lib } from "./lib.ts";

/** The kernel's struct termios (not the libc's): 36 bytes, 44 with room for termios2. */
export const TERMIOS_BYTES = 44;

export function tcgets(fd: number, into: Uint8Array): number {
  return lib.hp_ioctl_pointer(fd, TCGETS, into);
}

export function tcsets(fd: number, from: Uint8Array): number {
  return lib.hp_ioctl_pointer(fd, TCSETS, from);
}

export function isTerminal(fd: number): boolean {
  return lib.hp_ioctl_pointer(fd, TCGETS, new Uint8Array(TERMIOS_BYTES)) === 0;
}

/** The foreground process group. */
export function foregroundGroup(fd: number): number {
  const group = new Int32Array(1);
  const result = lib.hp_ioctl_pointer(fd, TIOCGPGRP, group);
  return result < 0 ? result : group[0]!;
}

/** The N of /dev/pts/N, from the master side. */
export function ptyNumber(master: number): number {
  const number = new Int32Array(1);
  const result = lib.hp_ioctl_pointer(master, TIOCGPTN, number);
  return result < 0 ? result : number[0]!;
}

/** Opens the slave side of a master without any path. */
export function ptyPeer(master: number, flags: number): number {
  return lib.hp_ioctl_value(master, TIOCGPTPEER, flags);
}

export function windowSize(fd: number): { rows: number; columns: number } | number {
  const words = new Uint16Array(4);
  const result = lib.hp_ioctl_pointer(fd, TIOCGWINSZ, words);
  return result < 0 ? result : { rows: words[0]!, columns: words[1]! };
}
