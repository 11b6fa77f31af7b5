/** Completions for bash, zsh and fish, from the definition. */
import { COMMANDS, type Flag, RUN_FLAGS } from "./definition.ts";

export function completions(shell: string): string {
  if (shell === "fish") return fish();
  return shell === "zsh" ? zsh() : bash();
}

function spelled(flag: Flag): string {
  return flag.value === undefined || flag.isValueOptional ? `--${flag.name}` : `--${flag.name}=`;
}

function bash(): string {
  const flags = RUN_FLAGS.map(spelled).join(" ");
  const commands = COMMANDS.map((command) => command.name).join(" ");
  const choices = RUN_FLAGS.filter((flag) => flag.choices).map(
    (flag) => `      --${flag.name}) COMPREPLY=($(compgen -W "${flag.choices?.join(" ")}" -- "$value")); return;;`,
  );
  const files = RUN_FLAGS.filter((flag) => flag.completes === "file").map((flag) => `--${flag.name}`);
  const programs = RUN_FLAGS.filter((flag) => flag.completes === "program").map((flag) => `--${flag.name}`);
  const words = COMMANDS.filter((command) => command.words || command.flags.length > 0).map((command) => {
    const known = [...(command.words ?? []), ...command.flags.map(spelled)].join(" ");
    return `      ${command.name}) COMPREPLY=($(compgen -W "${known}" -- "$word")); [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$word")); return;;`;
  });
  return `# bash completion for hallpass
_hallpass() {
  local word=\${COMP_WORDS[COMP_CWORD]} flag value at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} == -- ]]; then
      if type _command_offset > /dev/null 2>&1; then _command_offset $((at + 1)); else COMPREPLY=($(compgen -c -f -- "$word")); fi
      return
    fi
  done
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
${words.join("\n")}
    esac
  done
  flag=\${COMP_WORDS[COMP_CWORD - 1]} value=$word
  [[ $word == = ]] && value=
  [[ $flag == = ]] && flag=\${COMP_WORDS[COMP_CWORD - 2]}
  if [[ $value != -* ]]; then
    case $flag in
${choices.join("\n")}
      ${files.join("|")}) compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$value")); return;;
      ${programs.join("|")}) COMPREPLY=($(compgen -c -- "$value")); return;;
    esac
  fi
  COMPREPLY=($(compgen -W "${flags} -- ${commands}" -- "$word"))
  [[ \${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2> /dev/null
}
complete -F _hallpass hallpass
`;
}

function zsh(): string {
  const quoted = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, "\\$&");
  const flags = RUN_FLAGS.map((flag) => {
    const repeat = flag.isRepeatable ? "*" : "";
    if (flag.value === undefined) return `    '${repeat}--${flag.name}[${quoted(flag.summary)}]'`;
    const action = flag.choices
      ? `(${flag.choices.join(" ")})`
      : flag.completes === "file"
        ? "_files"
        : flag.completes === "program"
          ? "_command_names -e"
          : "";
    const joint = flag.isValueOptional ? "=-" : "=";
    const value = flag.isValueOptional ? `::${flag.value}:` : `:${flag.value}:`;
    return `    '${repeat}--${flag.name}${joint}[${quoted(flag.summary)}]${value}${action}'`;
  });
  const commands = COMMANDS.map((command) => `    '${command.name}:${quoted(command.summary)}'`);
  const words = COMMANDS.filter((command) => command.words || command.flags.length > 0).map(
    (command) =>
      `    ${command.name}) compadd -- ${[...(command.words ?? []), ...command.flags.map((flag) => `--${flag.name}`)].join(" ")}; _files ;;`,
  );
  return `#compdef hallpass
_hallpass() {
  local -a commands flags
  commands=(
${commands.join("\n")}
  )
  flags=(
${flags.join("\n")}
  )
  if (( \${words[(I)--]} > 0 && \${words[(I)--]} < CURRENT )); then
    shift \${words[(I)--]} words; (( CURRENT -= \${words[(I)--]} )); _normal; return
  fi
  case \${words[2]} in
${words.join("\n")}
  esac
  _arguments -S : "\${flags[@]}" '1:command:{_describe command commands}'
}
compdef _hallpass hallpass
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const flags = RUN_FLAGS.map((flag) => {
    const value = flag.value === undefined || flag.isValueOptional ? "" : " -x";
    const choices = flag.choices
      ? ` -a ${quoted(flag.choices.join(" "))}`
      : flag.completes === "file"
        ? " -F"
        : flag.completes === "program"
          ? " -a '(__fish_complete_command)'"
          : "";
    const files = flag.completes === "file" ? " -r" : value;
    return `complete -c hallpass -n __fish_use_subcommand -l ${flag.name}${files}${choices} -d ${quoted(flag.summary)}`;
  });
  const commands = COMMANDS.flatMap((command) => [
    `complete -c hallpass -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
    ...(command.words ?? []).map(
      (word) => `complete -c hallpass -n '__fish_seen_subcommand_from ${command.name}' -f -a ${word}`,
    ),
    ...command.flags.map(
      (flag) =>
        `complete -c hallpass -n '__fish_seen_subcommand_from ${command.name}' -l ${flag.name} -d ${quoted(flag.summary)}`,
    ),
  ]);
  return [...flags, ...commands, ""].join("\n");
}
