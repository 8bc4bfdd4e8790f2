import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  findFileCycles,
  findFolderCycles,
  findForbiddenImports,
  findHeavyStartupImports,
  parseImportRules,
  parseImports,
  readSources,
} from './import-rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(root);
const rules = parseImportRules(readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8'));
const paths = sources.map(({ path }) => path);

describe('source files', () => {
  test('import only what the table in docs/architecture.md allows', () => {
    expect(paths).toContain('src/domain/kernel/ports.ts');
    expect(findForbiddenImports(sources, rules)).toEqual([]);
  });

  test('do not import each other in a circle', () => {
    expect(findFileCycles(sources)).toEqual([]);
  });

  test('are in folders that do not import each other in a circle', () => {
    expect(findFolderCycles(sources)).toEqual([]);
  });

  test('load no heavy package before a command needs it', () => {
    expect(findHeavyStartupImports(sources)).toEqual([]);
  });
});

test('the file store touches the disk only through its `Disk`, so that the directory guard and the faults of tests see every step', () => {
  const usesDisk = sources.filter(
    (file) => file.path.startsWith('src/store/file/') && parseImports(file).some(({ to }) => /^(node:)?fs\b/u.test(to)),
  );
  expect(usesDisk.map(({ path }) => path)).toEqual(['src/store/file/disk/local-disk.ts']);
});

describe('the table in docs/architecture.md', () => {
  test('has a row for every folder of src and for every area of the domain', () => {
    const folders = paths.flatMap((path) => {
      const [top, area, domainArea, file] = path.split('/');
      if (top !== 'src') return ['commands'];
      return [area === 'domain' && file !== undefined ? `src/domain/${domainArea}` : `src/${area}`];
    });
    const areas = rules.flatMap((rule) => rule.areas);
    expect(new Set(areas).size).toBe(areas.length);
    expect([...new Set(folders)].filter((folder) => folder !== 'src/domain' && !areas.includes(folder))).toEqual([]);
  });

  test('names only folders and files that exist', () => {
    const named = rules.flatMap(({ areas, allowed }) => [...areas, ...allowed.map(({ path }) => path)]);
    expect(named.filter((name) => !paths.some((path) => path === name || path.startsWith(`${name}/`)))).toEqual([]);
  });

  test('lets orders and stock depend on each other only through fulfilment', () => {
    const allowedFor = (area: string) => rules.find(({ areas }) => areas.includes(area))?.allowed.map(({ path }) => path);
    expect(allowedFor('src/domain/orders')).not.toContain('src/domain/stock');
    expect(allowedFor('src/domain/stock')).not.toContain('src/domain/orders');
    expect(allowedFor('src/domain/fulfilment')).toEqual(expect.arrayContaining(['src/domain/orders', 'src/domain/stock']));
  });
});

describe('the import check', () => {
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
    expect(parseImports({ path: 'src/api/x.ts', text }).map(({ to, kind }) => `${to} ${kind}`)).toEqual([
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
    ['src/contract/resources/items.ts', "import '../../domain/catalog/items.ts'"],
    ['src/contract/resources/items.ts', "import joi from 'joi'"],
    ['src/domain/catalog/items.ts', "import type { Call } from '../../api/handler.ts'"],
    ['src/domain/orders/lines.ts', "import type { StockLineRecord } from '../stock/records.ts'"],
    ['src/domain/stock/lines.ts', "import '../orders/lines.ts'"],
    ['src/domain/orders/orders.ts', "import '../fulfilment/order-changes.ts'"],
    ['src/domain/kernel/context.ts', "import '../tenancy/tenants.ts'"],
    ['src/domain/counters/counters.ts', "import { tables } from '../tables.ts'"],
    ['src/domain/sales/quotes.ts', "import '../kernel/text.ts'"],
    ['src/api/items.ts', "await import('../store/file/index.ts')"],
    ['src/client/index.ts', "type T = import('../domain/items.ts').Item"],
    ['src/dashboard/state.ts', "export * from '../cli/output.ts'"],
    ['src/platform/file-lock.ts', "import '../contract/limits.ts'"],
    ['src/daemon/package-info.ts', "import '../../bin/build/main.ts'"],
    ['src/domain/catalog/items.ts', "import '../../../test/support/service/service.ts'"],
    ['commands/items/list.ts', "import '../../src/daemon/lifecycle/run-daemon.ts'"],
    ['commands/items/list.ts', "import '../../src/domain/catalog/items.ts'"],
    ['src/embedded/index.ts', "import '../domain/items.ts'"],
    ['src/client/index.ts', "import '../daemon/embedded.ts'"],
    ['src/daemon/embedded/embedded-service.ts', "import '../../embedded/index.ts'"],
    ['src/somewhere/else.ts', "import '../domain/items.ts'"],
  ])('rejects in %s: %s', (path, text) => {
    expect(findForbiddenImports([{ path, text }], rules)).toHaveLength(1);
  });

  test.each([
    ['src/contract/schema/joi.ts', "import joi from 'joi'"],
    ['src/domain/counters/counters.ts', "import type { Tx } from '../tables.ts'"],
    ['src/domain/fulfilment/order-changes.ts', "import '../orders/lines.ts'; import '../stock/lines.ts'"],
    ['src/daemon/lifecycle/run-daemon.ts', "import '../store/file/index.ts'"],
    ['src/dashboard/view/text.tsx', "import '../../cli/output/text-width.ts'"],
    ['src/client/settings/file-lock.ts', "import '../platform/file-lock.ts'"],
    ['commands/daemon/start.ts', "await import('../../src/daemon/lifecycle/run-daemon.ts')"],
    ['src/embedded/start-stockroom.ts', "import '../daemon/embedded.ts'"],
    ['commands/demo.ts', "await import('../src/daemon/main.ts')"],
    ['commands/items/list.ts', "import '../../src/cli/base-commands/stockroom-command.ts'"],
  ])('accepts in %s: %s', (path, text) => {
    expect(findForbiddenImports([{ path, text }], rules)).toEqual([]);
  });

  test('finds circles of files, also of types', () => {
    const a = { path: 'src/api/a.ts', text: "import './b.ts'" };
    const b = { path: 'src/api/b.ts', text: "export * from './c.ts'" };
    const c = { path: 'src/api/c.ts', text: "await import('./a.ts')" };
    expect(findFileCycles([a, b, c])).toEqual(['src/api/a.ts → src/api/b.ts → src/api/c.ts → src/api/a.ts']);
    expect(findFileCycles([a, b, { ...c, text: "import type { A } from './a.ts'" }])).toHaveLength(1);
    expect(findFileCycles([a, b, { ...c, text: '' }])).toEqual([]);
  });

  test('finds circles of sibling folders, also of types, and lets the files above them be', () => {
    const orders = { path: 'src/domain/orders/orders.ts', text: "import '../stock/levels.ts'; import type { Tx } from '../tables.ts'" };
    const stock = { path: 'src/domain/stock/levels.ts', text: "import type { Tx } from '../tables.ts'" };
    const tables = { path: 'src/domain/tables.ts', text: "import './orders/tables.ts'; import './stock/tables.ts'" };
    expect(findFolderCycles([orders, stock, tables])).toEqual([]);
    const backwards = { path: 'src/domain/stock/deep/lines.ts', text: "import type { Order } from '../../orders/records.ts'" };
    expect(findFolderCycles([orders, stock, tables, backwards])).toEqual(['src/domain/orders → src/domain/stock → src/domain/orders']);
  });

  test('follows static imports to a heavy package, not lazy ones', () => {
    const client = { path: 'src/client/http.ts', text: "import { request } from 'undici'" };
    const command = { path: 'commands/items/list.ts', text: "import '../../src/client/http.ts'" };
    const lazy = { path: 'commands/items/get.ts', text: "await import('../../src/client/http.ts')" };
    expect(findHeavyStartupImports([client, command, lazy])).toEqual([
      'commands/items/list.ts → src/client/http.ts → undici is loaded at start; import it where it is used',
    ]);
  });
});
