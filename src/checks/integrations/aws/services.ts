/** The four services that are read, with their addresses and the two protocols they speak (CHECKS §4.11). */
import type { z } from "zod";
import type { Call } from "../../call.ts";
import { Stop } from "../../codes.ts";
import { refusalOf, type Api } from "../../http/api.ts";
import { unreadable, type Reply } from "../../http/reply.ts";
import type { Parts } from "../../integration.ts";
import { codeOf, refusal } from "./errors.ts";
import { signed, type KeySource } from "./sign.ts";
import { Xml } from "./xml.ts";

export type Partition = "aws" | "aws-us-gov" | "aws-cn";

/** Where IAM is signed for; the region of everything else unless another is named. */
export const HOME: Readonly<Record<Partition, string>> = {
  aws: "us-east-1",
  "aws-us-gov": "us-gov-west-1",
  "aws-cn": "cn-north-1",
};
const IAM: Readonly<Record<Partition, string>> = {
  aws: "https://iam.amazonaws.com",
  "aws-us-gov": "https://iam.us-gov.amazonaws.com",
  "aws-cn": "https://iam.cn-north-1.amazonaws.com.cn",
};

export function stsUrl(partition: Partition, region: string): URL {
  return regional("sts", partition, region);
}

function regional(service: string, partition: Partition, region: string): URL {
  return new URL(`https://${service}.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`);
}

/** Actions with forms for requests and XML for answers. */
export class QueryService {
  private readonly api: Api;

  constructor(
    parts: Parts,
    base: URL,
    service: string,
    region: string,
    source: KeySource,
    private readonly version: string,
  ) {
    this.api = parts.api({ base, refusal, credential: signed(service, region, source) });
  }

  /** The `<action>Result` of an answer. */
  async ask(call: Call, action: string, fields: Record<string, string> = {}, evidence = true): Promise<Xml> {
    return resultOf(await this.send(call, action, fields, { evidence }), action);
  }

  /** As `ask`, or undefined where AWS knows no such entity. */
  async find(call: Call, action: string, fields: Record<string, string>): Promise<Xml | undefined> {
    const reply = await this.send(call, action, fields, { expect: [404] });
    return reply.status === 404 ? missing(reply) : resultOf(reply, action);
  }

  private async send(
    call: Call,
    action: string,
    fields: Record<string, string>,
    options: { evidence?: boolean; expect?: readonly number[] },
  ): Promise<Reply> {
    const form = { Action: action, Version: this.version, ...fields };
    return await this.api.post(call, "/", { form, headers: { accept: "text/xml" }, idempotent: true, ...options });
  }
}

export function resultOf(reply: Reply, action: string): Xml {
  const root = Xml.of(reply, `${action}Response`);
  if (!root.has(`${action}Result`)) throw unreadable();
  return root.at(`${action}Result`);
}

function missing(reply: Reply): undefined {
  if (codeOf(reply) !== "NoSuchEntity") throw new Stop(refusalOf(reply.status));
  return undefined;
}

/** Actions with JSON both ways, named by a header. */
export class JsonService {
  private readonly api: Api;

  constructor(
    parts: Parts,
    base: URL,
    service: string,
    region: string,
    source: KeySource,
    private readonly prefix: string,
  ) {
    this.api = parts.api({ base, refusal, credential: signed(service, region, source) });
  }

  async ask<S extends z.ZodType>(schema: S, call: Call, action: string, fields: object): Promise<z.output<S>> {
    return (await this.send(call, action, fields)).json(schema);
  }

  /** As `ask`, or undefined where AWS knows no such thing. */
  async find<S extends z.ZodType>(
    schema: S,
    call: Call,
    action: string,
    fields: object,
  ): Promise<z.output<S> | undefined> {
    const reply = await this.send(call, action, fields, [400, 404]);
    if (reply.status < 400) return reply.json(schema);
    if (codeOf(reply) === "ResourceNotFound") return undefined;
    throw new Stop(refusal(reply) ?? refusalOf(reply.status));
  }

  private async send(call: Call, action: string, fields: object, expect: readonly number[] = []): Promise<Reply> {
    const body = { type: "application/x-amz-json-1.1", bytes: JSON.stringify(fields) };
    const headers = { "x-amz-target": `${this.prefix}.${action}` };
    return await this.api.post(call, "/", { body, headers, idempotent: true, expect });
  }
}

export interface Services {
  readonly sts: QueryService;
  readonly iam: QueryService;
  readonly store: JsonService;
  readonly sso: JsonService;
}

export function servicesOf(
  parts: Parts,
  { partition, region, centerRegion }: { partition: Partition; region: string; centerRegion: string },
  { account, center }: { account: KeySource; center: KeySource },
): Services {
  const json = (service: string, prefix: string): JsonService =>
    new JsonService(parts, regional(service, partition, centerRegion), service, centerRegion, center, prefix);
  return {
    sts: new QueryService(parts, stsUrl(partition, region), "sts", region, account, "2011-06-15"),
    iam: new QueryService(parts, new URL(IAM[partition]), "iam", HOME[partition], account, "2010-05-08"),
    store: json("identitystore", "AWSIdentityStore"),
    sso: json("sso", "SWBExternalService"),
  };
}
