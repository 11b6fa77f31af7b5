/** One question asked of the configuration file named on the command line; built for Node by node.test.ts. */
import { loadConfigFile } from "../../../src/checks/config/config.ts";
import { Engine } from "../../../src/checks/engine.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";

const engine = new Engine(loadConfigFile(process.argv[2] ?? "", INTEGRATIONS));
const question = { user: "dana@example.com", connection: "k", action: "raw:get:pods", resource: "namespace:payments" };
const { decision, reason } = await engine.check(question);
console.log(decision, reason);
engine.close();
