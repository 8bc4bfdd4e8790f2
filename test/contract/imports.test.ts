import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { heavyAtStart, importsOf, readSources, wrongDirections } from './imports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(root);

describe('the sources', () => {
  test('were found', () => {
    expect(sources.map(({ path }) => path)).toContain('src/domain/ports.ts');
  });

  test('import only in the allowed directions', () => {
    expect(wrongDirections(sources)).toEqual([]);
  });

  test('load no heavy package before a command needs it', () => {
    expect(heavyAtStart(sources)).toEqual([]);
  });
});

describe('the check itself', () => {
  test('sees every way to import', () => {
    const text = `
      import a from './a.ts';
      import type { B } from './b.ts';
      export * from './c.ts';
      export type { D } from './d.ts';
      const e = await import('./e.ts');
      type F = import('./f.ts').F;
      const g = require('./g.ts');
      const text = "import h from './h.ts'"; // import i from './i.ts'
    `;
    expect(importsOf({ path: 'src/api/x.ts', text }).map(({ to, kind }) => `${to} ${kind}`)).toEqual([
      'src/api/a.ts static',
      'src/api/b.ts type',
      'src/api/c.ts static',
      'src/api/d.ts type',
      'src/api/e.ts lazy',
      'src/api/f.ts type',
      'src/api/g.ts lazy',
    ]);
  });

  test.each([
    ['src/contract/items.ts', "import '../domain/items.ts'"],
    ['src/contract/items.ts', "import joi from 'joi'"],
    ['src/domain/items.ts', "import type { Call } from '../api/call.ts'"],
    ['src/api/items.ts', "await import('../store/file/index.ts')"],
    ['src/client/index.ts', "type T = import('../domain/items.ts').Item"],
    ['src/dashboard/state.ts', "export * from '../cli/output.ts'"],
    ['commands/items/list.ts', "import '../../src/daemon/main.ts'"],
    ['commands/items/list.ts', "import '../../src/domain/items.ts'"],
    ['src/testing/index.ts', "import '../domain/items.ts'"],
    ['src/client/index.ts', "import '../daemon/embedded.ts'"],
    ['src/daemon/embedded.ts', "import '../testing/index.ts'"],
    ['src/somewhere/else.ts', "import '../domain/items.ts'"],
  ])('refuses %s: %s', (path, text) => {
    expect(wrongDirections([{ path, text }])).toHaveLength(1);
  });

  test.each([
    ['src/contract/joi.ts', "import joi from 'joi'"],
    ['src/daemon/main.ts', "import '../store/file/index.ts'"],
    ['commands/daemon/start.ts', "await import('../../src/daemon/main.ts')"],
    ['src/testing/start.ts', "import '../daemon/embedded.ts'"],
    ['commands/demo.ts', "await import('../src/daemon/main.ts')"],
    ['commands/items/list.ts', "import '../../src/cli/command.ts'"],
  ])('lets pass %s: %s', (path, text) => {
    expect(wrongDirections([{ path, text }])).toEqual([]);
  });

  test('follows static imports to a heavy package, not lazy ones', () => {
    const client = { path: 'src/client/http.ts', text: "import { request } from 'undici'" };
    const command = { path: 'commands/items/list.ts', text: "import '../../src/client/http.ts'" };
    const lazy = { path: 'commands/items/get.ts', text: "await import('../../src/client/http.ts')" };
    expect(heavyAtStart([client, command, lazy])).toEqual([
      'commands/items/list.ts → src/client/http.ts → undici is loaded at start; import it where it is used',
    ]);
  });
});
