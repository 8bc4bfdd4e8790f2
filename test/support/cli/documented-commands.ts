/** The commands that a page of the documentation prints. */

const BLOCK = /^```(\w*)\n(.*?)^```/gmsu;
const INLINE = /(?<!`)`(npx stockroom [^`]+)`(?!`)/gu;
/** The line goes on with the next one. */
const CONTINUES = /(?:\||\\)$/u;

/** The commands of code blocks: every line of shell blocks, and in others the lines after a prompt. */
export function listBlockCommands(page: string): string[] {
  return [...page.matchAll(BLOCK)].flatMap(([, language = '', block = '']) => {
    const commands: string[] = [];
    for (const line of block.trimEnd().split('\n')) {
      const last = commands.at(-1);
      if (last !== undefined && CONTINUES.test(last)) commands[commands.length - 1] = `${last}\n${line}`;
      else if (language === 'sh' && !/^(?:#|$)/u.test(line)) commands.push(line);
      else if (line.startsWith('$ ')) commands.push(line.slice(2));
    }
    return commands;
  });
}

/** Commands within the text. */
export const listInlineCommands = (page: string): string[] =>
  [...page.replaceAll(BLOCK, '').matchAll(INLINE)].map(([, command = '']) => command);
