/** Slack's Web API: GET methods that answer 200 with `ok: false` when they fail (CHECKS §4.8). */
import type { z } from "zod";
import type { Call } from "../../call.ts";
import { stop, Stop, unknown, userNotFound, vetted, type Finding } from "../../codes.ts";
import type { Secret } from "../../config/secret.ts";
import type { Api } from "../../http/api.ts";
import type { Query } from "../../http/path.ts";
import type { Reply } from "../../http/reply.ts";
import type { Credential } from "../../shared/credential.ts";
import { maybeFlag, record, text, type Read } from "../../shared/fields.ts";
import type { Page } from "../../shared/paging.ts";

const Status = record({ ok: maybeFlag, error: text, needed: text });
const Cursor = record({ response_metadata: record({ next_cursor: text }) });

const HIDDEN = ["channel_not_found", "not_in_channel"];
const REJECTED = ["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"];
const RETRY_MS = 1_000;

export class WebApi {
  constructor(
    private readonly api: Api,
    private readonly teamId: string | undefined,
  ) {}

  async read<S extends z.ZodType>(schema: S, call: Call, method: string, query: Query = {}): Promise<z.output<S>> {
    return (await this.send(call, method, query)).json(schema);
  }

  /** One page of a list; `itemsOf` says where in the answer it is. */
  async page<S extends z.ZodType, T>(
    schema: S,
    call: Call,
    method: string,
    query: Query,
    itemsOf: (answer: z.output<S>) => readonly T[],
  ): Promise<Page<T, string>> {
    const reply = await this.send(call, method, query);
    const { next_cursor: next } = reply.json(Cursor).response_metadata;
    return { items: itemsOf(reply.json(schema)), next: next === "" ? undefined : next };
  }

  private async send(call: Call, method: string, query: Query): Promise<Reply> {
    let { reply, status } = await this.once(call, method, query);
    if (status.error === "ratelimited") {
      await call.clock.sleep(RETRY_MS);
      ({ reply, status } = await this.once(call, method, query));
    }
    if (status.ok !== true) throw new Stop(meaningOf(status));
    return reply;
  }

  private async once(call: Call, method: string, query: Query): Promise<{ reply: Reply; status: Read<typeof Status> }> {
    const reply = await this.api.get(call, `/${method}`, { query: { ...query, team_id: this.teamId } });
    return { reply, status: reply.json(Status) };
  }
}

function meaningOf({ error, needed }: Read<typeof Status>): Finding {
  if (error === "users_not_found") return userNotFound();
  if (HIDDEN.includes(error))
    return unknown("resource_not_visible", "the channel is missing, or hallpass's bot is not in it");
  if (REJECTED.includes(error)) return unknown("credential_rejected", `Slack rejected hallpass's token (${error})`);
  if (error === "missing_scope")
    return unknown("credential_rejected", `hallpass's token lacks the scope ${vetted(needed)}`);
  if (error === "ratelimited") return unknown("upstream_rate_limited", "Slack limits the rate of calls");
  return unknown("upstream_error", `Slack answered with ${vetted(error)}`);
}

/** A bot's token; any other could see and do more than the checks are made for. */
export function botToken(secret: Secret): Credential {
  const headers = async (): Promise<Record<string, string>> => {
    const token = await secret.read();
    if (!token.startsWith("xoxb-")) throw stop("credential_rejected", "the credential is not a bot's token (xoxb-)");
    return { authorization: `Bearer ${token}` };
  };
  return { headers, renew: () => false };
}
