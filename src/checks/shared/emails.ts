/** Emails compared exactly but for case, and one account chosen among those a vendor found (CHECKS §4). */
import { stop, Stop, userNotFound } from "../codes.ts";

/** Letters that fold to ASCII ones: an account that has one in its address would pass for another's. */
const FOLDS = /[\u0130\u0131\u017f\u212a]/;

/** `email` is a Subject's, in lower case already. */
export function isEmail(email: string, other: string | undefined): boolean {
  return other !== undefined && keyOfEmail(other) === email;
}

/** An address as a Subject's would be, for maps by address; undefined for one that could pass for another's. */
export function keyOfEmail(address: string): string | undefined {
  return FOLDS.test(address) ? undefined : address.trim().toLowerCase();
}

/** The one account; `user_not_found` for none, `user_ambiguous` for several with different ids. */
export function single<T>(accounts: readonly T[], idOf: (account: T) => string): T {
  const [first] = accounts;
  if (first === undefined) throw new Stop(userNotFound());
  if (new Set(accounts.map(idOf)).size > 1) throw stop("user_ambiguous", "more than one account has this email");
  return first;
}
