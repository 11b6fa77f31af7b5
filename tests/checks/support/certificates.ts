/** A certificate authority and server certificates for one test run, made by openssl(1). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  readonly folder: string;
  readonly caFile: string;
  /** A server certificate with these alternative names (`DNS:a.test,IP:127.0.0.1`), or with none and the common name localhost. */
  issue(names: string): Pair;
  [Symbol.dispose](): void;
}

export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "hallpass-tls-"));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => void execFileSync("openssl", args, { stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
    "-days",
    "2",
    "-subj",
    "/CN=test authority",
  );
  let count = 0;
  return {
    folder,
    caFile: at("ca.pem"),
    issue(names) {
      const name = `server${++count}`;
      openssl("req", ...newKey, "-keyout", at(`${name}.key`), "-out", at(`${name}.csr`), "-subj", "/CN=localhost");
      writeFileSync(at(`${name}.ext`), names === "" ? "" : `subjectAltName=${names}`);
      const signing = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2"];
      openssl(
        "x509",
        "-req",
        "-in",
        at(`${name}.csr`),
        ...signing,
        "-extfile",
        at(`${name}.ext`),
        "-out",
        at(`${name}.pem`),
      );
      return { cert: readFileSync(at(`${name}.pem`), "utf8"), key: readFileSync(at(`${name}.key`), "utf8") };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
