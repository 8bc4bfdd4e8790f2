/** docs/supported.md: what of the API the given contract has, and what is an extension. UPDATE=1 regenerates it. */
import { expect, test } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { OPERATIONS } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { AnySchema } from '../../src/contract/schema/builder.ts';

const PATH = new URL('../../docs/supported.md', import.meta.url);

const HEAD = `# What is supported

Generated from the marks in the contract; \`--contract strict\` leaves out the extensions. Lists of names: those of the contract, then those of the extensions.
`;

interface Names {
  readonly contract: string[];
  readonly extensions: string[];
}

/** The fields of a schema, those inside others as \`parent.child\`. What is inside an extension is one, too. */
function listNames(schema: AnySchema | null | undefined, prefix = '', found: Names = { contract: [], extensions: [] }): Names {
  if (schema?.kind === 'array') return listNames(schema.items, prefix, found);
  if (schema?.kind === 'enum')
    for (const value of schema.extensionValues ?? []) found.extensions.push(`${prefix.replace(/\.$/u, '')}=${value}`);
  if (schema?.kind !== 'object') return found;
  for (const [name, field] of Object.entries(schema.properties)) {
    (field.extension ? found.extensions : found.contract).push(prefix + name);
    if (!field.extension) listNames(field, `${prefix}${name}.`, found);
  }
  return found;
}

const formatNames = (names: readonly string[]): string => (names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(' '));

function describeOperation(op: Operation): string {
  const { method, path, id, extension, query, body, result } = op;
  const rows = Object.entries({ parameters: query, body, response: result }).flatMap(([part, schema]) => {
    const { contract, extensions } = listNames(schema);
    if (contract.length + extensions.length === 0) return [];
    const [own, more] = extension ? [[], [...contract, ...extensions]] : [contract, extensions];
    return [`| ${part} | ${formatNames(own)} | ${formatNames(more)} |`];
  });
  const table = rows.length === 0 ? '' : `\n| | contract | extension |\n|---|---|---|\n${rows.join('\n')}\n`;
  return `\n## ${id}\n\`${method} ${path}\`: ${extension ? 'extension' : 'contract'}\n${table}`;
}

test('docs/supported.md lists each operation, parameter and field of the contract; UPDATE=1 regenerates it', () => {
  const text = HEAD + (OPERATIONS as readonly Operation[]).map(describeOperation).join('');
  if (process.env['UPDATE']) writeFileSync(PATH, text);
  expect(readFileSync(PATH, 'utf8')).toBe(text);
});
