/** The name under which this program runs, for commands that people copy. */
import { basename, dirname, relative, sep } from 'node:path';

const INSTALLED = 'stockroom';
const WITH_NPX = 'npx stockroom';
/** Commands in texts: in backticks. */
const QUOTED_COMMAND = /`stockroom (?=[a-z-])/gu;
/** Commands in help topics: on indented lines. */
const COMMAND_LINE = /^ {2}.*\bstockroom .*$/gmu;

type Env = Readonly<Record<string, string | undefined>>;

/** The file to run without npx, which takes longer than most commands; undefined outside of a checkout. */
export const getFastProgram = (env: Env = process.env, script = process.argv[1] ?? '', cwd = process.cwd()): string | undefined =>
  basename(script) === 'run.js' && process.platform !== 'win32' && getProgramName(env, script, cwd) === WITH_NPX ? script : undefined;

/** npx finds the program in a checkout and where it is installed for one project; elsewhere it is on the PATH, or an alias. */
export function getProgramName(env: Env = process.env, script = process.argv[1] ?? '', cwd = process.cwd()): string {
  if (env['npm_command'] === 'exec' || script.includes(`${sep}node_modules${sep}.bin${sep}`)) return WITH_NPX;
  const isInCheckout = basename(script) === 'run.js' && !relative(dirname(dirname(script)), cwd).startsWith('..');
  return isInCheckout ? WITH_NPX : INSTALLED;
}

/** Changes a command without backticks around it to the one that the user can run. */
export const toRunnableCommand = (command: string, env: Env = process.env): string =>
  command.replace(/^stockroom(?= )/u, getProgramName(env));

/** Changes the commands in a text to those that the user can run. Commands are written for an installed program. */
export function withProgramName(text: string, env: Env = process.env): string {
  if (!text.includes(INSTALLED)) return text;
  const name = getProgramName(env);
  if (name === INSTALLED) return text;
  return text
    .replaceAll(QUOTED_COMMAND, `\`${name} `)
    .replaceAll(COMMAND_LINE, (line) => line.replaceAll(/(?<!npx |\/)\bstockroom (?=[a-z-])/gu, `${name} `));
}
