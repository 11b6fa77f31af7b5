/**
 * How fields of a vendor's JSON are read (CHECKS §1.10): missing or null is the zero value, another type is an error
 * (`upstream_error`, thrown by Reply.json). Where "not reported" differs from "no", the `maybe…` readers keep undefined.
 */
import { z } from "zod";

/** "" when missing. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
/** false when missing. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const integer = z.union([z.int(), z.bigint()]);
/** 0 when missing; past 2⁵³ an error, since nothing that is counted or compared gets there. */
export const whole = z
  .int()
  .nullish()
  .transform((value) => value ?? 0);
/** A numeric id of any size as decimal text, "" when missing. */
export const idNumber = integer.nullish().transform((value) => value?.toString() ?? "");
/** An id that the vendor gives as a number or as text. */
export const idAny = z
  .union([integer, z.string()])
  .nullish()
  .transform((value) => value?.toString() ?? "");

export const maybeText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
export const maybeFlag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined);
export const maybeWhole = z
  .int()
  .nullish()
  .transform((value) => value ?? undefined);

/** [] when missing. */
export function list<S extends z.ZodType>(item: S) {
  return z.preprocess((value) => value ?? [], z.array(item));
}

/** null is [], but missing is an error: for lists whose loss would widen what a person may do. */
export function reported<S extends z.ZodType>(item: S) {
  return z.preprocess((value) => (value === null ? [] : value), z.array(item));
}

/** An object of which only these fields are looked at; all of them zero when it is missing. */
export function record<S extends z.ZodRawShape>(shape: S) {
  return z.preprocess((value) => value ?? {}, z.object(shape));
}

/** undefined when missing or null. */
export function maybe<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => value ?? undefined, z.union([z.undefined(), schema]));
}

/** An object with keys of the vendor's choosing, {} when missing. */
export function dictionary<S extends z.ZodType>(item: S) {
  return z.preprocess((value) => value ?? {}, z.record(z.string(), item));
}

/** Anything, undefined when missing; for fields that are passed on or read further by hand. */
export const anything = z.unknown().optional();

export type Read<S extends z.ZodType> = z.output<S>;
