/** The kernel's error numbers (the same on amd64, arm64 and their 32-bit siblings), and what to do with a result. */
import { SyscallError } from "../src/errors.ts";

export const Errno = {
  EPERM: 1,
  ENOENT: 2,
  ESRCH: 3,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  E2BIG: 7,
  ENOEXEC: 8,
  EBADF: 9,
  ECHILD: 10,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EFAULT: 14,
  ENOTBLK: 15,
  EBUSY: 16,
  EEXIST: 17,
  EXDEV: 18,
  ENODEV: 19,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOTTY: 25,
  ETXTBSY: 26,
  EFBIG: 27,
  ENOSPC: 28,
  ESPIPE: 29,
  EROFS: 30,
  EMLINK: 31,
  EPIPE: 32,
  ENAMETOOLONG: 36,
  ENOSYS: 38,
  ENOTEMPTY: 39,
  ELOOP: 40,
  ENOMSG: 42,
  ENODATA: 61,
  EOVERFLOW: 75,
  EUSERS: 87,
  ENOTSOCK: 88,
  EDESTADDRREQ: 89,
  EMSGSIZE: 90,
  EPROTOTYPE: 91,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
  EADDRINUSE: 98,
  EADDRNOTAVAIL: 99,
  ENETUNREACH: 101,
  ECONNABORTED: 103,
  ECONNRESET: 104,
  EISCONN: 106,
  ENOTCONN: 107,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
  EALREADY: 114,
  EINPROGRESS: 115,
  ESTALE: 116,
  EDQUOT: 122,
  ECANCELED: 125,
  /** Inside the kernel only: restart the call once its signal handler ran with SA_RESTART, else EINTR. */
  ERESTARTSYS: 512,
  ERESTARTNOINTR: 513,
} as const;

const names = new Map<number, string>(Object.entries(Errno).map(([name, number]) => [number, name]));

/** "EACCES" for 13 or -13; the bare number where the list has no name. */
export function errnoName(errno: number): string {
  return names.get(Math.abs(errno)) ?? String(Math.abs(errno));
}

/** The result, or a SyscallError where it is -errno: for cold paths. */
export function must(result: number, call: string, detail = ""): number {
  if (result < 0) throw new SyscallError(call, -result, `${errnoName(result)}${detail && ` ${detail}`}`);
  return result;
}
