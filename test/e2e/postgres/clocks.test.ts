/** What an earlier release has dated in the future is refused, found and repaired. */
import { expect, test } from 'vitest';
import { createDatabase } from '../../support/postgres/databases.ts';
import { makeDatabaseHome } from '../../support/postgres/homes.ts';
import { runSql } from '../../support/postgres/sql.ts';

test('doctor --repair lets a tenant continue whose last change is dated in the future', async () => {
  await using database = await createDatabase();
  await using shop = await makeDatabaseHome(database.url);
  const { home } = shop;
  await shop.start(['--drain-seconds', '0']);
  const create = (name: string) => home.json(['items', 'create', '--name', name]);
  expect(await create('before')).toMatchObject({ exit: 0 });
  const tomorrow = Date.now() + 86_400_000;
  await runSql(database.url, `UPDATE stockroom.tenant_heads SET last_at = ${String(tomorrow)} WHERE tenant <> ''`);
  expect(await create('refused')).toMatchObject({ exit: 1, body: { error: { code: 'STORE_UNAVAILABLE' } } });
  const found = await home.json(['doctor']);
  expect(found).toMatchObject({ exit: 9 });
  expect(JSON.stringify(found.body)).toContain('local: the last change has the time');
  expect(await home.json(['doctor', '--repair'])).toMatchObject({ exit: 2 });
  const dry = await home.json(['doctor', '--repair', '--dry-run']);
  expect(dry).toMatchObject({ exit: 0, body: { data: { dryRun: true, levels: [], times: [{ tenant: 'local', changedRows: 0 }] } } });
  expect(await home.json(['doctor'])).toMatchObject({ exit: 9 });
  expect(await home.json(['doctor', '--repair', '--yes'])).toMatchObject({ exit: 0 });
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
  const created = await create('after');
  expect(created).toMatchObject({ exit: 0 });
  const [, createdAt = ''] = /"created_?at":"([^"]+)"/iu.exec(JSON.stringify(created.body)) ?? [];
  expect(Date.parse(createdAt)).toBeLessThan(Date.now() + 60_000);
  expect(await home.json(['daemon', 'stop'])).toMatchObject({ exit: 0 });
});
