/** Open descriptors before and after: a test that leaves some open fails. */
import { readdirSync, readlinkSync } from "node:fs";

/** What each open descriptor of a process is, as the kernel names it; a descriptor closed meanwhile is left out. */
export function openFds(pid: number | "self" = "self"): Map<number, string> {
  const folder = `/proc/${pid}/fd`;
  const found = new Map<number, string>();
  for (const name of readdirSync(folder)) {
    try {
      found.set(Number(name), readlinkSync(`${folder}/${name}`));
    } catch {
      // The descriptor that readdir itself used.
    }
  }
  return found;
}

/** The descriptors that `body` left open, as text; bun's own pipes and epoll sets are counted like any other. */
export async function leakedFds(body: () => void | Promise<void>): Promise<string[]> {
  const before = openFds();
  await body();
  return [...openFds()].filter(([fd, what]) => before.get(fd) !== what).map(([fd, what]) => `${fd} ${what}`);
}
