/** Input that cannot be what it should be is rejected after its limit, not read as a whole. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { shop } = useShop();

test.for([
  [['items', 'create', '--data', '@/dev/zero'], '/dev/zero is larger than 1 MiB'],
  [['items', 'list', '--api-key-file', '/dev/zero'], '/dev/zero is larger than 64 KiB'],
] as const)('%s is read up to the limit', async ([args, message]) => {
  const { exit, stderr } = await shop.home.run(args);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('--data - is read up to the limit', async () => {
  const { exit, stderr } = await shop.home.run(['items', 'create', '--data', '-'], { input: 'x'.repeat(2_000_000) });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('stdin is larger than 1 MiB')]);
});

test('a CSV file that an export made safe for spreadsheets is imported with --csv-safe without its marks', async () => {
  const { home } = shop;
  await home.run(['items', 'create', '--name', '=1+1', '--sku', '@1', '--sale-price', '2']);
  const { stdout } = await home.run(['items', 'export', '--csv-safe']);
  expect(stdout).toContain("'=1+1");
  const file = home.path('safe.csv');
  writeFileSync(file, stdout);
  const { exit, stderr } = await home.run(['items', 'import', file, '--upsert', 'id', '--csv-safe']);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('1 unchanged')]);
  expect((await home.json(['items', 'get', '@1'])).body.data.name).toBe('=1+1');
});

test('UTF-16 without a byte order mark is named with the flag that reads it', async () => {
  const file = shop.home.path('wide.csv');
  writeFileSync(file, Buffer.from('name,sku\r\nBolt,B\r\n', 'utf16le'));
  const { exit, stderr } = await shop.home.run(['items', 'import', file, '--dry-run']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--encoding utf-16le')]);
  expect((await shop.home.run(['items', 'import', file, '--dry-run', '--encoding', 'utf-16le'])).exit).toBe(0);
});
