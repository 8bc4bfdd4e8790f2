/** The npm scripts of the repository. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: Record<string, string> };

test.each(Object.entries(scripts))(
  'npm script %s runs TypeScript with the pinned Node, not with the Node of the machine',
  (_name, script) => {
    // In a fresh clone the shell finds the machine's Node, which may not run TypeScript, and remembers it for all commands of the script.
    const commands = script.split(/&&|;/u).map((command) => command.trim());
    expect(commands.filter((command) => /^node .*\.ts\b/u.test(command) && !command.startsWith('node bin/setup.js '))).toEqual([]);
  },
);
