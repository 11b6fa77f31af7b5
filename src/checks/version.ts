/** The product's version, for the User-Agent. */
import manifest from "../../package.json" with { type: "json" };

export const VERSION: string = manifest.version;
export const USER_AGENT = `hallpass/${VERSION}`;
