/** The program's help: an overview of all commands, and the help of one. */
import { commandGroups, commandSpecs } from './commands.ts';
import type { CommandSpec } from './define-command.ts';

const program = 'npm run operator --';
const widest = Math.max(...commandSpecs.map(({ name }) => name.length));

const mostChars = 96;

/** Breaks a line between its words. */
const wrapped = (line: string): string[] => {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= mostChars)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

const indented = (text: string): string =>
  text
    .split('\n')
    .flatMap(wrapped)
    .map((line) => `  ${line}`)
    .join('\n');

const overviewOf = ({ about, commands }: (typeof commandGroups)[number]): string => {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`);
  return `${about}\n${lines.join('\n')}`;
};

export const usage = `Usage: ${program} COMMAND …
       ${program} COMMAND --help   shows how one command is written

${commandGroups.map(overviewOf).join('\n\n')}

ACCOUNT is an account id, the account's e-mail address, the agent_id that it was registered with,
the id of one of its letters, or the reference of a letter.

The commands work next to a running service and without one. They need the service's
environment (DATA_DIR or DATABASE_URL, MASTER_KEY, EVENT_STORE …) and name the data that they
work on in their first line, on the standard error. Exit codes: 0 done, 1 refused or something
is wrong, 2 written wrongly.

Examples:
${commandSpecs
  .flatMap(({ examples = [] }) => examples.slice(0, 1))
  .map((example) => `  ${program} ${example}`)
  .join('\n')}
`;

/** How a command is written, in one line. */
export const usageLine = ({ name, usage: rest }: CommandSpec): string =>
  `Usage: ${program} ${`${name} ${rest}`.trim()}`;

/** The help of one command. */
export const helpOf = (spec: CommandSpec): string => {
  const { summary, help, examples = [] } = spec;
  const shown = examples.map((example) => `${program} ${example}`).join('\n');
  return [
    usageLine(spec),
    indented(summary) + (help === undefined ? '' : `\n${indented(help)}`),
    ...(examples.length > 0 ? [`Examples:\n${indented(shown)}`] : []),
    '',
  ].join('\n\n');
};
