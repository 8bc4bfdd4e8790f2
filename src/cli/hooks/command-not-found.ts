/** An unknown command: one sentence with the nearest name, exit 2, and the JSON error object when a program asked for it. */
import type { Hook } from '@oclif/core';

const EXIT_USAGE = 2;

const hook: Hook.CommandNotFound = async function (options) {
  const asked = options.id.replaceAll(':', ' ');
  const known = [...this.config.commandIDs, ...this.config.topics.map((topic) => topic.name)].map((id) => id.replaceAll(':', ' '));
  const nearest = closest(asked, known);
  const message = `"${asked}" is not a stockroom command`;
  const hint = nearest === null ? 'run `stockroom --help` for the list' : `did you mean "${nearest}"?`;
  process.stderr.write(`${message}; ${hint}\n`);
  if (asksForJson(process.argv.slice(2))) {
    const error = { code: 'unknown_command', message, status: null, exit: EXIT_USAGE, hint, requestId: null, fields: null, details: null };
    process.stdout.write(`${JSON.stringify({ error })}\n`);
  }
  return this.exit(EXIT_USAGE);
};

export default hook;

/**
 * The known name with the fewest typing mistakes, or null when none is near. oclif cannot tell a mistyped command
 * from its arguments (`itms get 42`), so every beginning of what was typed is compared too.
 */
export function closest(asked: string, known: readonly string[]): string | null {
  const words = asked.split(' ');
  let best: { name: string; mistakes: number } | null = null;
  for (let count = words.length; count >= 1; count -= 1) {
    const typed = words.slice(0, count).join(' ');
    for (const name of known) {
      const mistakes = editDistance(typed.toLowerCase(), name);
      if (mistakes <= Math.max(1, Math.floor(typed.length / 3)) && (best === null || mistakes < best.mistakes)) best = { name, mistakes };
    }
    if (best !== null) return best.name;
  }
  return null;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const steps = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (same ? 0 : 1)];
      if (swapped) steps.push(at(row - 2, column - 2) + 1);
      rows[row]?.push(Math.min(...steps));
    }
  }
  return at(from.length, to.length);
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}
