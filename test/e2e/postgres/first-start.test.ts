/** The first start of daemons on an empty database. */
import { expect, test } from 'vitest';
import { createDatabase } from '../../support/postgres/databases.ts';
import { makeDatabaseHome } from '../../support/postgres/homes.ts';

test('two daemons that start on an empty database at the same time create one tenant and one key', async () => {
  await using database = await createDatabase();
  await using first = await makeDatabaseHome(database.url);
  await using second = await makeDatabaseHome(database.url);
  const started = await Promise.all([first.start(), second.start()]);
  expect(started.map(({ status }) => status)).toEqual(['running', 'running']);
  for (const { home } of [first, second]) {
    expect((await home.json(['tenants', 'list'])).body.data).toHaveLength(1);
    expect((await home.json(['keys', 'list'])).body.data).toHaveLength(1);
    expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
  }
});
