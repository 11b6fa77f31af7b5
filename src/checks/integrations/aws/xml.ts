/** The XML of AWS's Query protocol: elements with text, lists as `<member>` (CHECKS §4.11). */
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { unreadable } from "../../http/reply.ts";
import type { Reply } from "../../http/reply.ts";

export class Xml {
  private constructor(private readonly element: XmlElement | undefined) {}

  /** The element called `name`, which must be the whole document. Throws `upstream_error`. */
  static of(reply: Reply, name: string): Xml {
    const root = rootOf(reply);
    if (root?.name !== name) throw unreadable();
    return new Xml(root);
  }

  /** The code of an error answer; "" where it is none. */
  static errorCode(reply: Reply): string {
    try {
      return new Xml(rootOf(reply) ?? undefined).at("Error").text("Code");
    } catch {
      return "";
    }
  }

  /** A child; one that is missing has no children and no text. */
  at(name: string): Xml {
    const found = this.children(name);
    if (found.length > 1) throw unreadable();
    return new Xml(found[0]);
  }

  has(name: string): boolean {
    return this.children(name).length > 0;
  }

  /** The text of a child that has no elements in it; "" when it is missing. */
  text(name: string): string {
    const { element } = this.at(name);
    if (element?.children.some((child) => child instanceof XmlElement)) throw unreadable();
    return element?.text.trim() ?? "";
  }

  /** `true` or `false`; undefined when it is missing. */
  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value !== "" && value !== "true" && value !== "false") throw unreadable();
    return value === "" ? undefined : value === "true";
  }

  /** The members of a list; [] when it is missing. */
  list(name: string): Xml[] {
    return this.at(name)
      .children("member")
      .map((element) => new Xml(element));
  }

  texts(name: string): string[] {
    return this.at(name)
      .children("member")
      .map((element) => element.text.trim());
  }

  private children(name: string): XmlElement[] {
    return (this.element?.children ?? []).filter(
      (child): child is XmlElement => child instanceof XmlElement && child.name === name,
    );
  }
}

function rootOf(reply: Reply): XmlElement | null {
  try {
    return parseXml(reply.text()).root;
  } catch {
    throw unreadable();
  }
}
