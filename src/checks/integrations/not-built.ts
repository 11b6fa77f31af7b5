/** Holds the place of an integration that is still to come: its name is known, a connection of it is a configuration problem. */
import { defineIntegration, type Connection } from "../integration.ts";

export function notBuilt(name: string, about: string) {
  return defineIntegration({
    name,
    about: `${about} (not built yet)`,
    keys: {},
    actions: [],
    connect: (): Connection => {
      throw new Error(`the integration ${name} is not built yet`);
    },
  });
}
