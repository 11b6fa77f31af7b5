import { expect, test } from "bun:test";
import { signerOf } from "./support/sigv4.ts";

// The case get-vanilla of AWS's signature test suite.
const key = { id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const scope = { region: "us-east-1", service: "service" };
const authorization =
  "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
const request = {
  method: "GET",
  host: "example.amazonaws.com",
  path: "/",
  params: {},
  query: new URLSearchParams(),
  headers: { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z", authorization },
  body: "",
  json: undefined,
};

test("the fake takes AWS's own example of a signature", () => {
  expect(signerOf(request, [key], scope)).toEqual(key);
});

test("the fake refuses it for another body, another secret and another region", () => {
  expect(signerOf({ ...request, body: "x" }, [key], scope)).toBe("a signature that is not right");
  expect(signerOf(request, [{ ...key, secret: "other" }], scope)).toBe("a signature that is not right");
  expect(signerOf(request, [key], { ...scope, region: "eu-west-1" })).toContain("signed for");
});
