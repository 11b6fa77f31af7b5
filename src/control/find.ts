/** Finding a running session: by pid, as the only one, or as the one of this project. */
import { UsageError } from "../errors.ts";
import { connectSocket } from "./client.ts";
import { removeSocket, sessionPids, socketPath } from "./folder.ts";
import type { SessionConnection, SessionInfo } from "./messages.ts";

export interface Found {
  readonly info: SessionInfo;
  readonly pending: number;
}

/** Every session of the user that answers; sockets that nobody listens on are removed. */
export async function findSessions(folder: string): Promise<Found[]> {
  const found = await Promise.all(sessionPids(folder).map((pid) => ask(folder, pid)));
  return found.filter((one) => one !== undefined);
}

async function ask(folder: string, pid: number): Promise<Found | undefined> {
  const path = socketPath(folder, pid);
  try {
    const connection = await connectSocket(path, "sessions");
    const { session, requests } = await welcomeOf(connection);
    connection.close();
    return { info: session, pending: requests.length };
  } catch {
    if (isDead(pid)) removeSocket(path);
    return undefined;
  }
}

function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function welcomeOf(connection: SessionConnection): Promise<{ session: SessionInfo; requests: readonly unknown[] }> {
  return new Promise((resolve, reject) => {
    connection.subscribe((event) => {
      if (event.type === "welcome") resolve(event);
      else if (event.type === "bye") reject(new Error(event.reason));
    });
  });
}

/** The pid of the session that is meant. Throws UsageError, which lists the sessions where there are several. */
export async function pickSession(folder: string, pid: string | undefined, cwd: string): Promise<number> {
  if (pid !== undefined) return Number(pid);
  const sessions = await findSessions(folder);
  if (sessions.length === 0) throw new UsageError("no session of yours is running; start one with: hallpass");
  const here = sessions.filter(({ info }) => info.project === cwd);
  const [only, ...more] = here.length > 0 ? here : sessions;
  if (only && more.length === 0) return only.info.pid;
  const list = sessions.map(({ info }) => `\n  ${describeSession(info)}`).join("");
  throw new UsageError(`several sessions are running; name one by its pid:${list}`);
}

export function describeSession({ pid, command, project }: SessionInfo): string {
  return `${pid}  ${command.join(" ")}  (in ${project})`;
}
