/** The command table of the README is generated from the commands; `UPDATE=1` writes it. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = `${root}/README.md`;
const TABLE = /(<!-- commands -->\n\| topic \| commands \| what \|\n\|---\|---\|---\|\n)([\s\S]*?)(<!-- \/commands -->)/u;
const { engines, oclif } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  engines: { node: string };
  oclif: { topics: Record<string, { description: string }> };
};

/** `items ingredients` → its commands; a command that is its own topic stands for itself. */
async function commandTable(): Promise<string> {
  const topics = new Map<string, string[]>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: `${root}/commands` }).sort()) {
    const words = file.replace(/\.tsx?$/u, '').split('/');
    const name = words.pop() ?? '';
    const topic = words.length === 0 ? name : words.join(' ');
    const command = words.length === 0 || name === 'index' ? '' : name;
    topics.set(
      topic,
      [...(topics.get(topic) ?? []), command].filter((word) => word !== ''),
    );
  }
  const rows = [...topics]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(async ([topic, names]) => `| \`${topic}\` | ${names.map((name) => `\`${name}\``).join(' ')} | ${await getAbout(topic)} |\n`);
  return (await Promise.all(rows)).join('');
}

/** The topic's description, or the summary of the command that is its own topic. */
async function getAbout(topic: string): Promise<string> {
  const described = oclif.topics[topic.replaceAll(' ', ':')]?.description;
  if (described !== undefined) return described;
  const [file = ''] = globSync(`${topic.replaceAll(' ', '/')}{.ts,.tsx,/index.ts}`, { cwd: `${root}/commands` });
  const { default: command } = (await import(`${root}/commands/${file}`)) as { default: { summary?: string } };
  const { summary } = command;
  if (summary === undefined) throw new Error(`the topic ${topic} has no description in package.json and its command no summary`);
  return summary;
}

it('the command table of the README lists exactly the existing commands', async () => {
  const text = readFileSync(readme, 'utf8');
  const table = await commandTable();
  if (process.env['UPDATE'])
    writeFileSync(
      readme,
      text.replace(TABLE, (_all, head: string, _old, end: string) => head + table + end),
    );
  else expect(TABLE.exec(text)?.[2]).toBe(table);
});

it('names the Node version that the installed package requires', () => {
  expect(readFileSync(readme, 'utf8')).toContain(`requires Node ${engines.node.replace('>=', '')} or newer`);
});
