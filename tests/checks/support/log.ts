/** A logger that keeps its lines. */
import type { Fields, Logger } from "../../../src/checks/logger.ts";

export interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Fields;
}

export class TestLog implements Logger {
  readonly lines: Line[] = [];

  debug(message: string, fields: Fields = {}): void {
    this.lines.push({ level: "debug", message, fields });
  }
  info(message: string, fields: Fields = {}): void {
    this.lines.push({ level: "info", message, fields });
  }
  warn(message: string, fields: Fields = {}): void {
    this.lines.push({ level: "warn", message, fields });
  }
  error(message: string, fields: Fields = {}): void {
    this.lines.push({ level: "error", message, fields });
  }

  at(level: Line["level"]): Line[] {
    return this.lines.filter((line) => line.level === level);
  }
}
