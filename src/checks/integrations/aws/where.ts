/** The resource of a question: an ARN, or everything (CHECKS §4.11). */
import { stop } from "../../codes.ts";
import type { Resource } from "../../question.ts";
import { invalidResource, noId } from "../../shared/resource.ts";
import type { AwsAction } from "./actions.ts";
import type { AwsConfig } from "./config.ts";

export interface Ask {
  readonly action: string;
  /** Undefined: all resources. */
  readonly arn: string | undefined;
}

const ARN = /^arn:(aws|aws-us-gov|aws-cn):([a-z0-9][a-z0-9-]{0,62}):([a-z0-9-]{0,32}):(\d{12})?:(\S(?:.*\S)?)$/u;

export function readAsk({ api }: AwsAction, resource: Resource, config: AwsConfig): Ask {
  if (resource.type === "all") {
    noId(resource);
    return { action: api, arn: undefined };
  }
  const [arn, partition, , , account] = ARN.exec(resource.raw) ?? [];
  if (arn === undefined) throw invalidResource("a resource is an ARN with an account of 12 digits or none, or all");
  if (partition !== config.partition) throw invalidResource(`the ARN is not of the partition ${config.partition}`);
  if (account !== undefined && account !== config.account_id)
    throw stop("unsupported", "the resource is of another account, whose own policies are not read");
  return { action: api, arn };
}
