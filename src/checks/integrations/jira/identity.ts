/** The person's Atlassian account, by its email alone: anyone may put another's address into their display name (CHECKS §4.6). */
import { z } from "zod";
import type { Call } from "../../call.ts";
import { stop, Stop, userNotFound } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { isEmail, single } from "../../shared/emails.ts";
import { maybeFlag, maybeText, record, text, type Read } from "../../shared/fields.ts";
import { pages, type Pages } from "../../shared/paging.ts";

const Account = record({ accountId: text, accountType: maybeText, active: maybeFlag, emailAddress: maybeText });
type Account = Read<typeof Account>;

export interface JiraUser {
  readonly accountId: string;
}

const FULL = 50;
const SEARCHED = 5;

/** `confirm` throws where our own credential is not good: Jira then finds nobody rather than refusing. */
export async function findAccount(
  api: Api,
  email: string,
  confirm: () => Promise<void>,
  call: Call,
): Promise<JiraUser> {
  const { items, truncated } = await search(api, email, call);
  const named = items.filter((account) => isEmail(email, account.emailAddress));
  const matches = named.filter(isPerson);
  // Beside a match, hidden emails are no matter; an account of this very email whose state is hidden is.
  const others = (matches.length === 0 ? items : named).filter((account) => !matches.includes(account));
  if (others.some((account) => isPossible(account, email)))
    throw stop("unsupported", "Jira does not show hallpass the email or the state of an account that it found");
  if (matches.length === 0) {
    if (truncated) throw stop("unsupported", "Jira found more accounts than are looked at");
    await confirm();
    throw new Stop(userNotFound("no active account has this email"));
  }
  const { accountId } = single(matches, (account) => account.accountId);
  if (accountId === "") throw stop("upstream_error", "the account has no id");
  return { accountId };
}

async function search(api: Api, email: string, call: Call): Promise<Pages<Account>> {
  return await pages(
    0,
    async (startAt: number) => {
      const query = { query: email, startAt, maxResults: FULL };
      const items = await api.read(z.array(Account), call, "/rest/api/3/user/search", { query });
      return { items, next: items.length >= FULL ? startAt + FULL : undefined };
    },
    SEARCHED,
  );
}

function isPerson({ accountType, active }: Account): boolean {
  return accountType === "atlassian" && active === true;
}

/** Could be the person's, for all that Jira said. */
function isPossible({ accountType, active, emailAddress }: Account, email: string): boolean {
  const mayBePerson = (accountType === undefined || accountType === "atlassian") && active !== false;
  return mayBePerson && (!emailAddress || isEmail(email, emailAddress));
}
