/** How a request is authorised: a header from a secret, or from a token that is exchanged for one (CHECKS §1.10). */
import type { Call } from "../call.ts";
import type { Secret } from "../config/secret.ts";
import type { Outgoing } from "../http/wire.ts";

export interface Credential {
  /** The headers for one try; the secret is read now. Signing schemes look at the request. */
  headers(request: Outgoing, call: Call): Promise<Readonly<Record<string, string>>>;
  /** After `status` (≥ 400) on `refused`: true when another token than the one in it will be sent; the request is then made once more. */
  renew(refused: Outgoing, status: number): boolean;
}

export const none: Credential = { headers: async () => ({}), renew: () => false };

/** `<name>: <prefix><secret>`. */
export function header(name: string, secret: Secret, prefix = ""): Credential {
  return fixed(async () => ({ [name.toLowerCase()]: prefix + (await secret.read()) }));
}

export function bearer(secret: Secret): Credential {
  return header("authorization", secret, "Bearer ");
}

export function basic(user: string, secret: Secret): Credential {
  return fixed(async () => ({ authorization: basicValue(user, await secret.read()) }));
}

/** `Basic …` from a user and a password. */
export function basicValue(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** Several headers, each from a secret of its own. */
export function headersOf(secrets: Readonly<Record<string, Secret>>): Credential {
  return fixed(async () => {
    const read = Object.entries(secrets).map(
      async ([name, secret]) => [name.toLowerCase(), await secret.read()] as const,
    );
    return Object.fromEntries(await Promise.all(read));
  });
}

function fixed(headers: () => Promise<Record<string, string>>): Credential {
  return { headers, renew: () => false };
}
