/** The pseudo-terminal that CMD runs on. The relay has the master; the launcher takes the slave as its controlling terminal. */
import { AT_FDCWD, O_CLOEXEC, O_NOCTTY, O_NONBLOCK, O_RDWR } from "../../ffi/constants.ts";
import { cstring } from "../../ffi/bytes.ts";
import { must } from "../../ffi/errno.ts";
import { close, ioctl } from "../../ffi/fd.ts";
import { openat } from "../../ffi/path-ops.ts";
import { ptyNumber, ptyPeer, tcsets } from "../../ffi/terminal.ts";
import { setWindowSize, type WindowSize } from "./terminal.ts";

const TIOCSPTLCK = 0x40045431;

export class Pty {
  #isClosed = false;

  private constructor(
    /** Non-blocking. */
    readonly master: number,
    /** Held open by us as well, so that the master never reads as ended while CMD's descendants come and go. */
    readonly slave: number,
    /** The N of /dev/pts/N. */
    readonly number: number,
  ) {}

  /** Throws a SyscallError. The slave begins with the settings and the size of the real terminal. */
  static open(termios: Uint8Array, size: WindowSize): Pty {
    const master = must(
      openat(AT_FDCWD, cstring("/dev/ptmx"), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC),
      "open",
      "/dev/ptmx",
    );
    must(ioctl(master, TIOCSPTLCK, new Int32Array(1)), "ioctl(TIOCSPTLCK)");
    const slave = must(ptyPeer(master, O_RDWR | O_NOCTTY | O_CLOEXEC), "ioctl(TIOCGPTPEER)");
    must(tcsets(slave, termios), "ioctl(TCSETS)");
    setWindowSize(master, size);
    return new Pty(master, slave, must(ptyNumber(master), "ioctl(TIOCGPTN)"));
  }

  /** Both sides. Whoever still has the slave hears SIGHUP and reads an end. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    close(this.slave);
    close(this.master);
  }
}
