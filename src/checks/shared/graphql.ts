/** GraphQL over POST; what comes from outside goes in variables only (CHECKS §4.3, §4.20). */
import type { z } from "zod";
import type { Call } from "../call.ts";
import { Stop, stop, type Finding } from "../codes.ts";
import type { Api } from "../http/api.ts";
import { anything, list, record, text } from "./fields.ts";

const Envelope = record({
  data: anything,
  errors: list(record({ type: text, message: text, extensions: record({ code: text, type: text }) })),
});

export type GraphqlError = {
  readonly type: string;
  readonly message: string;
  readonly extensions: { readonly code: string; readonly type: string };
};

export interface GraphqlOptions {
  /** What the vendor's first error means; undefined is `upstream_error`. Its message may be matched, never shown. */
  readonly refusal?: (error: GraphqlError) => Finding | undefined;
  readonly expect?: readonly number[];
}

/** `data`, read by `schema`. A query may be tried again. Throws Stop on any entry in `errors`. */
export async function graphql<S extends z.ZodType>(
  api: Api,
  call: Call,
  path: string,
  request: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
  schema: S,
  options: GraphqlOptions = {},
): Promise<z.output<S>> {
  const reply = await api.post(call, path, { json: request, idempotent: true, expect: options.expect ?? [] });
  const { data, errors } = reply.json(Envelope);
  const [first] = errors;
  if (first !== undefined)
    throw new Stop(options.refusal?.(first) ?? stop("upstream_error", "the system answered with an error").finding);
  const read = schema.safeParse(data ?? undefined);
  if (!read.success) throw stop("upstream_error", "the system's answer could not be read");
  return read.data;
}
