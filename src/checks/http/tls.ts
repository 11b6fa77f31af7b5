/** TLS as every integration uses it: 1.2 or later, verified, by subject alternative names only (CHECKS §1.10). */
import { connect, checkServerIdentity, type ConnectionOptions, type PeerCertificate, type TLSSocket } from "node:tls";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";

export interface TlsSettings {
  /** PEM certificates that replace the system's roots. */
  readonly ca?: string;
  /** Name to send and to verify instead of the URL's host. */
  readonly serverName?: string;
}

export function tlsOptions(hostname: string, { ca, serverName }: TlsSettings): ConnectionOptions {
  const host = serverName ?? hostname.replace(/^\[|\]$/g, "");
  return {
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    // An address is no name: it is verified as one but not sent (RFC 6066 §3).
    ...(isIP(host) ? {} : { servername: host }),
    checkServerIdentity: (_name: string, certificate: PeerCertificate) => verify(host, certificate),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** Node falls back to the subject's common name; a certificate without alternative names is refused here. */
function verify(host: string, certificate: PeerCertificate): Error | undefined {
  if (!certificate.subjectaltname) return Object.assign(new Error(), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  return checkServerIdentity(host, certificate);
}

/** TLS over an open tunnel; the caller's timers bound the handshake. */
export function tlsOver(socket: Duplex, hostname: string, settings: TlsSettings): TLSSocket {
  return connect({ socket, ...tlsOptions(hostname, settings) });
}
