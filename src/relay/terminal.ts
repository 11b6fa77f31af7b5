/** hallpass's own terminal: found, made raw, given back. Main thread; the bytes move in the worker. */
import { AT_FDCWD, O_CLOEXEC, O_NOCTTY, O_NONBLOCK, O_RDWR } from "../../ffi/constants.ts";
import { cstring } from "../../ffi/bytes.ts";
import { close, ioctl, write } from "../../ffi/fd.ts";
import { openat } from "../../ffi/path-ops.ts";
import { getpgid } from "../../ffi/signal.ts";
import { foregroundGroup, tcgets, tcsets, TERMIOS_BYTES } from "../../ffi/terminal.ts";

const TIOCGWINSZ = 0x5413;
const TIOCSWINSZ = 0x5414;
const TIOCGDEV = 0x80045432;

/** struct termios: four flag words, c_line, c_cc. */
const IFLAG = 0;
const OFLAG = 1;
const CFLAG = 2;
const LFLAG = 3;
const VTIME = 17 + 5;
const VMIN = 17 + 6;

/** As cfmakeraw(3). */
export function makeRaw(saved: Uint8Array): Uint8Array {
  const raw = saved.slice();
  const flags = new Uint32Array(raw.buffer, 0, 4);
  flags[IFLAG]! &= ~0o2753; // IGNBRK BRKINT PARMRK ISTRIP INLCR IGNCR ICRNL IXON
  flags[OFLAG]! &= ~0o1; // OPOST
  flags[LFLAG]! &= ~0o100113; // ISIG ICANON ECHO ECHONL IEXTEN
  flags[CFLAG] = (flags[CFLAG]! & ~0o460) | 0o60; // CSIZE PARENB, CS8
  raw[VTIME] = 0;
  raw[VMIN] = 1;
  return raw;
}

/** struct winsize as four words: rows, columns, and their pixels. */
export type WindowSize = Uint16Array;

export function readWindowSize(fd: number): WindowSize {
  const size = new Uint16Array(4);
  ioctl(fd, TIOCGWINSZ, size);
  if (size[0] === 0) size[0] = 24;
  if (size[1] === 0) size[1] = 80;
  return size;
}

export function setWindowSize(fd: number, size: WindowSize): void {
  ioctl(fd, TIOCSWINSZ, size);
}

/** The device behind a terminal descriptor, whatever name it was opened by; undefined where it is none. */
function terminalDevice(fd: number): number | undefined {
  const device = new Uint32Array(1);
  return ioctl(fd, TIOCGDEV, device) < 0 ? undefined : device[0]!;
}

export class RealTerminal {
  /** Opened anew and non-blocking: no flag of an inherited open file is changed under other programs. */
  readonly fd: number;
  /** As it was found; what every exit gives back. */
  readonly saved: Uint8Array;
  #isRaw = false;

  private constructor(fd: number, saved: Uint8Array) {
    this.fd = fd;
    this.saved = saved;
  }

  /** Undefined where hallpass has no terminal or does not have the foreground of it (SPEC §1). */
  static open(): RealTerminal | undefined {
    const fd = openat(AT_FDCWD, cstring("/dev/tty"), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return undefined;
    const saved = new Uint8Array(TERMIOS_BYTES);
    if (foregroundGroup(fd) === getpgid(0) && tcgets(fd, saved) >= 0) return new RealTerminal(fd, saved);
    close(fd);
    return undefined;
  }

  /** Whether `fd` (of stdin, stdout, stderr) is this terminal. */
  is(fd: number): boolean {
    const own = terminalDevice(this.fd);
    return own !== undefined && terminalDevice(fd) === own;
  }

  /** In the background this stops the process like any program that sets a terminal it does not have (SIGTTOU). */
  makeRaw(): void {
    tcsets(this.fd, makeRaw(this.saved));
    this.#isRaw = true;
  }

  /** Nothing where it is not raw, or where a shell has taken the terminal meanwhile. */
  restore(): void {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    if (foregroundGroup(this.fd) === getpgid(0)) tcsets(this.fd, this.saved);
  }

  get isRaw(): boolean {
    return this.#isRaw;
  }

  write(bytes: Uint8Array): void {
    write(this.fd, bytes);
  }

  close(): void {
    close(this.fd);
  }
}
