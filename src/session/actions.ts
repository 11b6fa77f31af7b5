/** What clients may do besides answering: rules, previews, and questions to the running program. */
import { PolicyError } from "../errors.ts";
import { CATEGORIES, type Category, type PlacedRule, type Rule } from "../policy/rule.ts";
import type { ClientAction, Decision, RuleScope } from "../control/messages.ts";
import { give } from "./answers.ts";
import type { Sender } from "./event.ts";
import type { PendingCall } from "./request.ts";
import { isEditable, place, setRules } from "./rules.ts";
import type { Turn } from "./turn.ts";

/** What an action comes to: an error, or a result for the one who sent it. */
type Outcome = { readonly error: string } | { readonly result?: unknown };

type RuleAction = Extract<ClientAction, { type: "rule-add" | "rule-edit" | "rule-delete" | "rule-move" }>;

/** Carries an action out and replies where a reply was asked for. */
export function act(turn: Turn, action: ClientAction, sender: Sender): void {
  if (action.type === "processes" || action.type === "stop" || action.type === "stop-supervising") {
    return turn.add({ type: "run", action, sender });
  }
  const outcome = guarded(() => perform(turn, action, sender));
  if (!("ref" in action) || action.ref === undefined) return;
  turn.add({ type: "reply", sender, event: { type: "reply", ref: action.ref, ...outcome } });
}

/** A rule line with a mistake is the client's to mend, not ours to fail on. */
function guarded(step: () => Outcome): Outcome {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { error: error.mistakes.map((mistake) => `column ${mistake.column}: ${mistake.message}`).join("; ") };
  }
}

function perform(turn: Turn, action: ClientAction, sender: Sender): Outcome {
  switch (action.type) {
    case "answer":
      return told(give(turn, action.answer, sender.label));
    case "answer-many":
      return told(
        action.answers.map((answer) => give(turn, answer, sender.label)).find((error) => error !== undefined),
      );
    case "rule-add":
      return add(turn, turn.judge.parse(action.rule), action.scope);
    case "rule-edit":
    case "rule-delete":
    case "rule-move":
      return change(turn, action);
    case "preview":
      return { result: preview(turn, turn.judge.parse(action.rule), action.replaces) };
    case "why":
      return why(turn, action.category, action.target);
    default:
      return { error: `unknown action ${JSON.stringify((action as { type?: unknown }).type)}` };
  }
}

function told(error: string | undefined): Outcome {
  return error === undefined ? {} : { error };
}

function add(turn: Turn, rule: Rule, scope: RuleScope): Outcome {
  const placed = place(turn, rule, scope);
  if (scope !== "session") turn.add({ type: "file", change: { type: "append", scope, rule } });
  setRules(turn, [...turn.state.rules, placed]);
  return done(placed.id, [{ type: "rule-delete", id: placed.id }]);
}

function change(turn: Turn, action: Exclude<RuleAction, { type: "rule-add" }>): Outcome {
  const old = turn.state.rules.find((rule) => rule.id === action.id);
  if (!old) return { error: `there is no rule ${action.id}` };
  if (!isEditable(old)) return { error: `this rule comes from ${sourceOf(old)}; it cannot be changed here` };
  if (action.type === "rule-delete") return remove(turn, old);
  if (action.type === "rule-move") return move(turn, old, action.scope);
  return edit(turn, old, turn.judge.parse(action.rule));
}

function sourceOf({ origin }: PlacedRule): string {
  if (origin.kind === "flag") return "the command line";
  if (origin.kind === "file") return origin.file ?? "a rule file";
  if (origin.kind === "group") return `@${origin.group ?? "group"}`;
  return origin.kind === "profile" ? "the profile" : "hallpass itself";
}

function scopeOf(rule: PlacedRule): RuleScope {
  return rule.origin.kind === "project" || rule.origin.kind === "everywhere" ? rule.origin.kind : "session";
}

function remove(turn: Turn, old: PlacedRule): Outcome {
  if (scopeOf(old) !== "session") turn.add({ type: "file", change: { type: "delete", before: old } });
  setRules(
    turn,
    turn.state.rules.filter((rule) => rule !== old),
  );
  return done(undefined, [{ type: "rule-add", rule: turn.judge.format(old), scope: scopeOf(old) }]);
}

function move(turn: Turn, old: PlacedRule, scope: RuleScope): Outcome {
  const moved = place(turn, old, scope);
  if (scopeOf(old) !== "session") turn.add({ type: "file", change: { type: "delete", before: old } });
  if (scope !== "session") turn.add({ type: "file", change: { type: "append", scope, rule: moved } });
  setRules(turn, [...turn.state.rules.filter((rule) => rule !== old), moved]);
  return done(moved.id, [{ type: "rule-move", id: moved.id, scope: scopeOf(old) }]);
}

function edit(turn: Turn, old: PlacedRule, rule: Rule): Outcome {
  const placed = { ...place(turn, rule, scopeOf(old), old.origin), id: old.id };
  if (scopeOf(old) !== "session") turn.add({ type: "file", change: { type: "replace", before: old, rule } });
  setRules(
    turn,
    turn.state.rules.map((one) => (one === old ? placed : one)),
  );
  return done(old.id, [{ type: "rule-edit", id: old.id, rule: turn.judge.format(old) }]);
}

/** `undo`: the actions that take the change back. */
function done(rule: string | undefined, undo: readonly ClientAction[]): Outcome {
  return { result: { ...(rule === undefined ? {} : { rule }), undo } };
}

/** Which of the recent decisions would come out otherwise with this rule. */
function preview(
  turn: Turn,
  rule: Rule,
  replaces: string | undefined,
): { changed: { decision: Decision; verdict: string }[] } {
  const { rules, recent } = turn.state;
  const next = [...rules.filter((one) => one.id !== replaces), place(turn, rule, "session")];
  const changed = recent.flatMap((decision) => {
    const call = callOf(decision);
    const after = turn.judge.judge(next, call).verdict;
    return after === turn.judge.judge(rules, call).verdict ? [] : [{ decision, verdict: after }];
  });
  return { changed: changed.slice(-100) };
}

function callOf(decision: Decision): Pick<PendingCall, "category" | "operation" | "target" | "to"> {
  const category: Category =
    decision.dest !== undefined
      ? "connect"
      : decision.syscall.startsWith("execve")
        ? "exec"
        : decision.op === "read"
          ? "read"
          : "write";
  return {
    category,
    operation: (decision.op ?? "write") as PendingCall["operation"],
    target: decision.path ?? decision.dest ?? "",
    ...(decision.to === undefined ? {} : { to: decision.to }),
  };
}

function why(turn: Turn, category: string, target: string): Outcome {
  const known = CATEGORIES.find((one) => one === category);
  if (!known) return { error: `unknown category ${JSON.stringify(category)}: one of ${CATEGORIES.join(", ")}` };
  const operation = known === "exec" ? "run" : known === "write" ? "write" : known;
  return { result: turn.judge.judge(turn.state.rules, { category: known, operation, target }) };
}
