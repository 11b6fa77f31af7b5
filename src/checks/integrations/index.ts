/** Every integration by name; each is a folder beside this file. */
import type { AnyIntegration } from "../integration.ts";
import { argocd } from "./argocd/index.ts";
import { aws } from "./aws/index.ts";
import { azure } from "./azure/index.ts";
import { bitbucket } from "./bitbucket/index.ts";
import { confluence } from "./confluence/index.ts";
import { databricks } from "./databricks/index.ts";
import { datadog } from "./datadog/index.ts";
import { fake } from "./fake/index.ts";
import { github } from "./github/index.ts";
import { gitlab } from "./gitlab/index.ts";
import { googlecloud } from "./googlecloud/index.ts";
import { googleworkspace } from "./googleworkspace/index.ts";
import { jira } from "./jira/index.ts";
import { kubernetes } from "./kubernetes/index.ts";
import { linear } from "./linear/index.ts";
import { microsoft365 } from "./microsoft365/index.ts";
import { pagerduty } from "./pagerduty/index.ts";
import { salesforce } from "./salesforce/index.ts";
import { slack } from "./slack/index.ts";
import { snowflake } from "./snowflake/index.ts";
import { vault } from "./vault/index.ts";
import { zendesk } from "./zendesk/index.ts";

const all: readonly AnyIntegration[] = [
  kubernetes,
  argocd,
  github,
  gitlab,
  bitbucket,
  jira,
  confluence,
  slack,
  datadog,
  pagerduty,
  aws,
  googleworkspace,
  googlecloud,
  microsoft365,
  databricks,
  salesforce,
  snowflake,
  vault,
  azure,
  linear,
  zendesk,
  fake,
];

export const INTEGRATIONS: ReadonlyMap<string, AnyIntegration> = new Map(all.map((one) => [one.name, one]));
