/** Checks a request's Signature Version 4, as AWS does it. */
import { createHash, createHmac } from "node:crypto";
import type { FakeRequest } from "./fake-server.ts";

export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
}

export interface Scope {
  readonly region: string;
  readonly service: string;
}

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

/** The key that signed it, or what is wrong with the signature. */
export function signerOf<K extends AccessKey>(request: FakeRequest, keys: readonly K[], scope: Scope): K | string {
  const [whole, id, day = "", region = "", service = "", signed = "", signature] =
    FORM.exec(request.headers["authorization"] ?? "") ?? [];
  if (whole === undefined) return "no signature of version 4";
  if (region !== scope.region || service !== scope.service)
    return `signed for ${service} in ${region}, not for ${scope.service} in ${scope.region}`;
  const key = keys.find((one) => one.id === id);
  if (key === undefined) return "an access key that is not known";
  if (request.headers["x-amz-security-token"] !== key.token) return "another session token";
  const names = signed.split(";");
  const unsigned = Object.keys(request.headers).find((name) => isBound(name) && !names.includes(name));
  if (unsigned !== undefined) return `the header ${unsigned} is not signed`;
  const stamp = request.headers["x-amz-date"] ?? "";
  if (!/^\d{8}T\d{6}Z$/.test(stamp) || !stamp.startsWith(day)) return "a time of another form or day";
  const text = [
    "AWS4-HMAC-SHA256",
    stamp,
    `${day}/${region}/${service}/aws4_request`,
    sha256(canonical(request, names)),
  ];
  const right = hmac(signingKey(key.secret, day, region, service), text.join("\n")).toString("hex");
  return right === signature ? key : "a signature that is not right";
}

function isBound(name: string): boolean {
  return name === "host" || name.startsWith("x-amz-");
}

function canonical({ method, path, query, headers, body }: FakeRequest, names: readonly string[]): string {
  const pairs = [...query].map(([name, value]) => `${encode(name)}=${encode(value)}`).toSorted();
  const lines = names.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`);
  return [method, path, pairs.join("&"), lines.join(""), names.join(";"), sha256(body)].join("\n");
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signingKey(secret: string, ...parts: readonly string[]): Buffer {
  return [...parts, "aws4_request"].reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
