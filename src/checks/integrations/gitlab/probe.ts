/** Whether the token reads what it must, and can do no more (CHECKS §4.4). */
import type { Call } from "../../call.ts";
import type { Api } from "../../http/api.ts";
import type { ProbeReport } from "../../integration.ts";
import { list, maybeFlag, maybeText, record, text } from "../../shared/fields.ts";
import type { GitlabConfig } from "./index.ts";

const Self = record({ username: text, is_admin: maybeFlag });
const TokenInfo = record({ scopes: list(text), expires_at: maybeText });
const SOON_MS = 14 * 24 * 60 * 60_000;

export async function probe({ identity_mode: mode }: GitlabConfig, api: Api, call: Call): Promise<ProbeReport> {
  const { username, is_admin: isAdmin } = await api.read(Self, call, "/user");
  const powerless =
    mode === "admin_search" && isAdmin !== true
      ? ["the token is not an administrator's: emails are not shown to it, so that nobody is found by admin_search"]
      : [];
  return {
    summary: `account ${username || "without a name"}`,
    warnings: [...powerless, ...(await ofToken(api, call))],
  };
}

async function ofToken(api: Api, call: Call): Promise<string[]> {
  const reply = await api.get(call, "/personal_access_tokens/self", { expect: [403, 404] });
  if (reply.status >= 400) return ["the token's scopes and its end cannot be read"];
  const { scopes, expires_at: end } = reply.json(TokenInfo);
  const excess = scopes.filter((scope) => scope !== "read_api");
  const isEnding = end !== undefined && !(Date.parse(end) - call.clock.now() >= SOON_MS);
  return [
    ...(scopes.includes("read_api") ? [] : ["the token lacks the scope read_api"]),
    ...(excess.length === 0 ? [] : [`the token has scopes beyond read_api: ${excess.join(", ")}`]),
    ...(isEnding ? [`the token ends on ${end}`] : []),
  ];
}
