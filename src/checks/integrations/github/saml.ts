/** Who a person is at GitHub by the organization's SAML identities (CHECKS §4.3). */
import { z } from "zod";
import type { Call } from "../../call.ts";
import { stop, Stop, unknown, userNotFound, type Finding } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { keyOfEmail } from "../../shared/emails.ts";
import { graphql, type GraphqlError } from "../../shared/graphql.ts";
import type { Lookup } from "../../shared/lookup.ts";
import { pages, type Page, type Pages } from "../../shared/paging.ts";

export const LISTING_MS = 10 * 60_000;
/** As many as one listing may have. */
const MOST = 5000;

const QUERY = `query ($login: String!, $userName: String, $after: String) {
  organization(login: $login) {
    samlIdentityProvider {
      externalIdentities(first: 100, userName: $userName, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { samlIdentity { nameId username } scimIdentity { username } user { login } }
      }
    }
  }
}`;

// GraphQL answers every field it was asked for, with null where there is nothing: one that is missing is an error.
const Name = z.string().nullable();
const Node = z.object({
  samlIdentity: z.object({ nameId: Name, username: Name }).nullable(),
  scimIdentity: z.object({ username: Name }).nullable(),
  user: z.object({ login: z.string().min(1) }).nullable(),
});
const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: Name });
const Provider = z.object({ externalIdentities: z.object({ pageInfo: PageInfo, nodes: z.array(Node) }) });
const Answer = z.object({ organization: z.object({ samlIdentityProvider: Provider.nullable() }) });

type Node = z.output<typeof Node>;

/** Logins by address; null stands for an identity that no account is linked to. */
export interface Listing {
  readonly logins: ReadonlyMap<string, readonly (string | null)[]>;
  readonly truncated: boolean;
}

export interface Saml {
  readonly api: Api;
  readonly organization: string;
  readonly listing: Lookup<Listing>;
}

/** The login linked to `email`: asked for by name first, then looked for among all identities. Throws Stop. */
export async function samlLogin(saml: Saml, email: string, call: Call): Promise<string> {
  const { items } = await identities(saml, email, call);
  const named = items.filter((node) => addressesOf(node).includes(email)).map(({ user }) => user?.login ?? null);
  if (named.length > 0) return oneLogin(named);
  const listing = await saml.listing.get("", call, async (inner) => listingOf(await identities(saml, null, inner)));
  const listed = listing.logins.get(email);
  if (listed !== undefined) return oneLogin(listed);
  if (listing.truncated) throw stop("unsupported", "the organization has more SAML identities than are read");
  throw new Stop(userNotFound("no SAML identity of the organization has this email"));
}

/** Whether the organization has a SAML provider; Stop where that cannot be read. */
export async function hasProvider(saml: Pick<Saml, "api" | "organization">, call: Call): Promise<boolean> {
  return (await ask(saml, { userName: "nobody@hallpass.invalid", after: null }, call)) !== null;
}

async function identities(saml: Saml, userName: string | null, call: Call): Promise<Pages<Node>> {
  let count = 0;
  const { items, truncated } = await pages<Node, string | null>(null, async (after): Promise<Page<Node, string>> => {
    const provider = await ask(saml, { userName, after }, call);
    if (provider === null) throw stop("unsupported", "the organization has no SAML provider that the App can see");
    const { nodes, pageInfo } = provider.externalIdentities;
    count += nodes.length;
    const next = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
    if (pageInfo.hasNextPage && next === undefined) throw stop("upstream_error", "GitHub's list breaks off");
    return { items: nodes, next: count < MOST ? next : undefined };
  });
  return { items, truncated: truncated || count >= MOST };
}

async function ask(
  { api, organization }: Pick<Saml, "api" | "organization">,
  variables: { readonly userName: string | null; readonly after: string | null },
  call: Call,
): Promise<z.output<typeof Provider> | null> {
  const request = { query: QUERY, variables: { login: organization, ...variables } };
  return (await graphql(api, call, "/graphql", request, Answer, { refusal })).organization.samlIdentityProvider;
}

function refusal({ type }: GraphqlError): Finding | undefined {
  if (type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES")
    return unknown("credential_rejected", "the GitHub App may not read SAML identities");
  if (type === "RATE_LIMITED") return unknown("upstream_rate_limited", "GitHub limits the rate of calls");
  return undefined;
}

function listingOf({ items, truncated }: Pages<Node>): Listing {
  const logins = new Map<string, (string | null)[]>();
  for (const node of items) {
    for (const address of new Set(addressesOf(node)))
      logins.set(address, [...(logins.get(address) ?? []), node.user?.login ?? null]);
  }
  return { logins, truncated };
}

function addressesOf({ samlIdentity, scimIdentity }: Node): string[] {
  const names = [samlIdentity?.nameId, samlIdentity?.username, scimIdentity?.username];
  return names.flatMap((name) => (name ? (keyOfEmail(name) ?? []) : []));
}

function oneLogin(found: readonly (string | null)[]): string {
  const [login, ...others] = found.filter((one) => one !== null);
  if (login === undefined) throw stop("unsupported", "the person's SAML identity is linked to no GitHub account");
  if (others.some((other) => other.toLowerCase() !== login.toLowerCase()))
    throw stop("user_ambiguous", "the email is linked to more than one GitHub account");
  return login;
}
