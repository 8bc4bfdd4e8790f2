/** The commands that a page of the documentation prints. */

const BLOCK = /^```(?<language>\w*)\n(?<block>.*?)^```/u.source;
const INLINE = /(?<!`)`(?<inline>npx stockroom [^`]+)`(?!`)/u.source;
const COMMANDS = new RegExp(`${BLOCK}|${INLINE}`, 'gmsu');
/** The line goes on with the next one. */
const CONTINUES = /(?:\||\\)$/u;

export interface DocumentedCommand {
  readonly command: string;
  /** What the page shows as its output. Empty if it shows none. */
  readonly output: readonly string[];
}

/** The commands of code blocks (every line of shell blocks, in others the lines after a prompt) and within the text, in their order. */
export function listCommands(page: string): DocumentedCommand[] {
  return [...page.matchAll(COMMANDS)].flatMap(({ groups: { language, block, inline } = {} }) =>
    block === undefined ? [{ command: inline ?? '', output: [] }] : listBlockCommands(block, language === 'sh'),
  );
}

function listBlockCommands(block: string, isShell: boolean): DocumentedCommand[] {
  const commands: { command: string; output: string[] }[] = [];
  for (const line of block.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (last !== undefined && last.output.length === 0 && CONTINUES.test(last.command)) last.command += `\n${line}`;
    else if (isShell ? !/^(?:#|$)/u.test(line) : line.startsWith('$ '))
      commands.push({ command: isShell ? line : line.slice(2), output: [] });
    else if (!isShell) last?.output.push(line);
  }
  return commands;
}

/** The part of a page below a heading, up to the next heading of the same level. */
export function getSection(page: string, heading: string): string {
  const [, rest] = page.split(`\n## ${heading}\n`);
  if (rest === undefined) throw new Error(`The page has no section "${heading}"`);
  return rest.split('\n## ')[0] ?? '';
}

/** Output without what differs from run to run: ids, keys and days. */
export const maskOutput = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, 'ID')
    .replaceAll(/pk_test_\w+…?/gu, 'KEY')
    .replaceAll(/\d{4}-\d{2}-\d{2}/gu, 'DAY');
