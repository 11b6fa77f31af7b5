/** Keys from where hallpass runs: the environment, a container's endpoint, a web identity, the instance (CHECKS §4.11). */
import type { Call } from "../../call.ts";
import { stop } from "../../codes.ts";
import { env, file } from "../../config/secret.ts";
import type { Api, RequestOptions } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { isLoopback } from "../../http/proxy.ts";
import { parseUrl } from "../../http/url.ts";
import type { Parts } from "../../integration.ts";
import { record, text } from "../../shared/fields.ts";
import type { Token, Tokens } from "../../shared/tokens.ts";
import { refusal } from "./errors.ts";
import { resultOf } from "./services.ts";
import { AwsKeys, keysOf } from "./sign.ts";

const KINDS = ["auto", "container", "web_identity", "imds"] as const;
export type AmbientKind = (typeof KINDS)[number];

export function isAmbientKind(kind: string): kind is AmbientKind {
  return (KINDS as readonly string[]).includes(kind);
}

const INSTANCE = new URL("http://169.254.169.254");
const TASK = new URL("http://169.254.170.2");
/** Where Kubernetes pods get theirs, beside this machine itself. */
const POD_HOSTS = ["169.254.170.23", "[fd00:ec2::23]", "169.254.170.2"];
const ROLES = "/latest/meta-data/iam/security-credentials/";
const HOUR_MS = 60 * 60_000;
const QUIET = { evidence: false } as const;

const Given = record({ AccessKeyId: text, SecretAccessKey: text, Token: text, Expiration: text });

export class Ambient {
  private readonly tokens: Tokens;

  constructor(
    private readonly parts: Parts,
    private readonly sts: URL,
    private readonly session: string,
  ) {
    this.tokens = parts.tokens(async (call, kind) => await this.mint(kind as AmbientKind, call));
  }

  async keys(kind: AmbientKind, call: Call): Promise<AwsKeys> {
    return AwsKeys.parse(JSON.parse(await this.tokens.get(call, kind)));
  }

  private async mint(kind: AmbientKind, call: Call): Promise<Token> {
    const found = await this.from(kind, call);
    if (found === undefined) throw stop("credential_rejected", `no keys were found where hallpass runs (${kind})`);
    return found;
  }

  private async from(kind: AmbientKind, call: Call): Promise<Token | undefined> {
    if (kind === "container") return await this.container(call);
    if (kind === "web_identity") return await this.webIdentity(call);
    if (kind === "imds") return await this.imds(call);
    return (
      (await fromEnv()) ?? (await this.container(call)) ?? (await this.webIdentity(call)) ?? (await this.imds(call))
    );
  }

  private async container(call: Call): Promise<Token | undefined> {
    const relative = await variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const full = relative === undefined ? await variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") : undefined;
    if (relative === undefined && full === undefined) return undefined;
    const url = parseUrl(full ?? TASK.origin + relative);
    if (url === null || !isNear(url)) throw stop("credential_rejected", "the container's endpoint is not near");
    const tokenFile = await variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const token = tokenFile ? await file(tokenFile).read() : await variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    const headers = token === undefined ? {} : { authorization: token };
    const api = this.parts.api({ base: new URL(url.origin), refusal });
    return await this.read(api, call, url.pathname + url.search, { headers });
  }

  private async webIdentity(call: Call): Promise<Token | undefined> {
    const tokenFile = await variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    const role = await variable("AWS_ROLE_ARN");
    if (tokenFile === undefined || role === undefined) return undefined;
    const form = {
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: role,
      RoleSessionName: (await variable("AWS_ROLE_SESSION_NAME")) ?? this.session,
      WebIdentityToken: await file(tokenFile).read(),
    };
    const api = this.parts.api({ base: this.sts, refusal });
    const reply = await api.post(call, "/", { form, headers: { accept: "text/xml" }, idempotent: true, ...QUIET });
    return lasting(keysOf(resultOf(reply, "AssumeRoleWithWebIdentity")), HOUR_MS);
  }

  /** Version 2: a token first, so that a request that was smuggled in gets nothing. */
  private async imds(call: Call): Promise<Token> {
    const api = this.parts.api({ base: INSTANCE, refusal });
    const ttl = { "x-aws-ec2-metadata-token-ttl-seconds": "21600" };
    const session = await api.send(call, "PUT", "/latest/api/token", { headers: ttl, idempotent: true, ...QUIET });
    const headers = { "x-aws-ec2-metadata-token": session.text() };
    const role = (await api.get(call, ROLES, { headers, ...QUIET })).text().trim();
    return await this.read(api, call, ROLES + path`${role}`, { headers });
  }

  private async read(api: Api, call: Call, at: string, options: RequestOptions): Promise<Token> {
    const given = (await api.get(call, at, { ...options, ...QUIET })).json(Given);
    const keys = AwsKeys.safeParse({
      access_key_id: given.AccessKeyId,
      secret_access_key: given.SecretAccessKey,
      session_token: given.Token,
    });
    if (!keys.success) throw stop("credential_rejected", "the endpoint where hallpass runs gave no keys");
    const left = Date.parse(given.Expiration) - call.clock.now();
    return lasting(keys.data, left > 0 ? left : 0);
  }
}

async function fromEnv(): Promise<Token | undefined> {
  const id = await variable("AWS_ACCESS_KEY_ID");
  const key = await variable("AWS_SECRET_ACCESS_KEY");
  const session = await variable("AWS_SESSION_TOKEN");
  if (id === undefined || key === undefined) return undefined;
  // Kept for no time: reading it again costs nothing, and it may have been replaced.
  return lasting({ access_key_id: id, secret_access_key: key, ...(session ? { session_token: session } : {}) }, 0);
}

function lasting(keys: AwsKeys, lifetimeMs: number): Token {
  return { value: JSON.stringify(keys), lifetimeMs };
}

/** Keys are never asked for in the open beyond this machine and the addresses that AWS has set apart. */
function isNear(url: URL): boolean {
  return url.protocol === "https:" || isLoopback(url.hostname) || POD_HOSTS.includes(url.hostname);
}

async function variable(name: string): Promise<string | undefined> {
  return await env(name)
    .read()
    .catch(() => undefined);
}
