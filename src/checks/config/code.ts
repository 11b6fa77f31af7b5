/** Connections given as objects in code, as the same fields that a file has (CHECKS §2.4). */
import type { At, Field, Fields, Problems, RawConfig } from "./raw.ts";
import { Secret } from "./secret.ts";

export type ConnectionInput = Readonly<Record<string, string | boolean | number | Secret>>;

/** Stands for the file in problems; the line is the number of the connection, from 1. */
export const CODE = "<connections>";

export function readCode(connections: readonly ConnectionInput[], problems: Problems): RawConfig {
  const read = connections.map((connection, index) => readOne(connection, { file: CODE, line: index + 1 }, problems));
  return { top: { fields: [], at: { file: CODE, line: 1 } }, connections: read };
}

function readOne(connection: ConnectionInput, at: At, problems: Problems): Fields {
  const fields = Object.entries(connection).flatMap(([key, value]): Field[] => {
    if (value instanceof Secret) return [{ key, value, at }];
    if (["string", "boolean", "number"].includes(typeof value) && String(value) !== "")
      return [{ key, value: String(value), at }];
    problems.add(at, `${key} has no value, or is not a text, a number, true, false or a secret`);
    return [];
  });
  return { fields, at };
}
