/** Signed assertions that are exchanged for tokens (CHECKS §4.3, §4.12–§4.17). */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT, type JWTHeaderParameters, type JWTPayload } from "jose";
import { stop } from "../codes.ts";

/** A private key in PEM, PKCS#1 or PKCS#8. Throws `credential_rejected`. */
export function privateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // Falls through: the platform's message may quote the key.
  }
  throw stop("credential_rejected", "hallpass's credential is not an RSA private key in PEM");
}

/** The compact form. `claims` hold times in seconds since 1970. */
export async function signJwt(
  pem: string,
  claims: JWTPayload,
  header: Omit<JWTHeaderParameters, "alg"> & { alg?: "RS256" | "PS256" } = {},
): Promise<string> {
  return await new SignJWT(claims)
    .setProtectedHeader({ typ: "JWT", ...header, alg: header.alg ?? "RS256" })
    .sign(privateKey(pem));
}
