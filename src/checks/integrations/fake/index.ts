/** A system that is none: for trying hallpass out and for smoke tests (CHECKS §2.6). */
import { allowed, denied, Stop, userNotFound } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import { defineIntegration, type Action, type Connection } from "../../integration.ts";
import { isEmail } from "../../shared/emails.ts";
import { idOf, onlyParams } from "../../shared/resource.ts";

const people = { read: (raw: string) => raw.split(",").map((item) => item.trim()) };

const keys = {
  users: key.parsed({ about: "emails that exist, parted by commas", default: "", ...people }),
  admins: key.parsed({ about: "emails that may write", default: "", ...people }),
};

const actions = [
  { name: "thing.write", resources: ["thing"], about: "write a thing" },
] as const satisfies readonly Action[];

interface Person {
  readonly isAdmin: boolean;
}

function connect({ users, admins }: ConfigOf<typeof keys>): Connection<Person, string> {
  const has = (list: readonly string[], email: string): boolean => list.some((one) => isEmail(email, one));
  return {
    prepare(_action, resource) {
      onlyParams(resource);
      return idOf(resource, /^[A-Za-z0-9_-]{1,64}$/, "with letters, digits, _ and -")[0];
    },
    async identify({ email }) {
      if (!has(admins, email) && !has(users, email)) throw new Stop(userNotFound());
      return { isAdmin: has(admins, email) };
    },
    decide: async ({ isAdmin }, thing) =>
      isAdmin ? allowed(`admins may write ${thing}`) : denied(`only admins may write ${thing}`),
    probe: async () => ({ summary: `${users.length} users, ${admins.length} admins`, warnings: [] }),
  };
}

export const fake = defineIntegration({
  name: "fake",
  about: "no system: for trying hallpass out",
  keys,
  actions,
  connect,
});
