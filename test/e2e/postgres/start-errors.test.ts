/** Databases with which a daemon does not start, and what it says about them. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tables } from '../../../src/domain/tables.ts';
import { getData } from '../../support/cli/daemon.ts';
import { makeHome } from '../../support/cli/home.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import { makeDatabaseHome, savePassword } from '../../support/postgres/homes.ts';
import { createStoreTemplate } from '../../support/postgres/store-database.ts';
import { quoteName, runSql } from '../../support/postgres/sql.ts';
import { startPostgresServer } from '../../support/postgres/server.ts';
import { startOldPostgres } from '../../support/servers/old-postgres.ts';

describe('daemon start --store rejects', () => {
  const address = 'postgres://someone@127.0.0.1:1/shop';

  test.each([
    ['a password in the address', ['--store', 'postgres://someone:opensesame@127.0.0.1:1/shop'], 'password'],
    ['a password in a parameter', ['--store', `${address}?password=opensesame`], 'password'],
    ['another scheme', ['--store', 'mysql://127.0.0.1/shop'], 'postgres://'],
    ['a path', ['--store', '/var/lib/shop'], 'postgres://'],
    ['--ephemeral', ['--store', address, '--ephemeral'], '--ephemeral'],
    ['--snapshot', ['--store', address, '--snapshot', 'base'], '--snapshot'],
  ])('%s as a usage error', async (_, args, word) => {
    await using home = await makeHome();
    const { exit, body, stdout, stderr } = await home.json(['daemon', 'start', ...args]);
    expect([exit, body.error.exit, body.error.message]).toEqual([2, 2, expect.stringContaining(word)]);
    expect(stdout + stderr).not.toContain('opensesame');
    expect(existsSync(getData(home))).toBe(false);
  });

  test('another scheme in STOCKROOM_STORE as a usage error', async () => {
    await using home = await makeHome();
    const { exit, body } = await home.json(['daemon', 'start'], { env: { STOCKROOM_STORE: 'mysql://someone:opensesame@127.0.0.1/shop' } });
    expect([exit, body.error.message]).toEqual([2, expect.stringContaining('STOCKROOM_STORE')]);
    expect(JSON.stringify(body)).not.toContain('opensesame');
  });
});

/** Exit code and message of a start that fails, which must not contain the password. */
async function failToStart(url: string, args: readonly string[] = []): Promise<[exit: number, message: string]> {
  await using home = await makeHome();
  const store = await savePassword(home, url);
  const { exit, body, stdout, stderr } = await home.json(['daemon', 'start', '--port', '0', '--store', store, ...args]);
  const { password } = new URL(url);
  if (password !== '') expect(stdout + stderr).not.toContain(password);
  const { message } = (body as { error?: { message: string } }).error ?? { message: JSON.stringify(body) };
  // One sentence, which names the database.
  expect(message).not.toMatch(/\n|\. [A-Z]/u);
  expect(message).toContain(store);
  return [exit, message];
}

describe('daemon start exits with 7 when', () => {
  test('no server listens at the address', async () => {
    expect(await failToStart('postgres://someone@127.0.0.1:1/shop')).toEqual([7, expect.stringContaining('nothing listens')]);
  });

  test('the password is wrong', async () => {
    await using database = await createDatabase();
    const url = new URL(database.url);
    url.password = 'opensesame';
    expect(await failToStart(url.href)).toEqual([7, expect.stringContaining('password')]);
  });

  test('the database does not exist', async () => {
    await using database = await createDatabase();
    const url = new URL(database.url);
    url.pathname = '/none';
    expect(await failToStart(url.href)).toEqual([7, expect.stringContaining('does not exist')]);
  });

  test('the user may not create tables', async () => {
    await using server = await startPostgresServer();
    await runSql(server.adminUrl, `CREATE ROLE guest LOGIN PASSWORD 'opensesame'`);
    const url = new URL(server.url);
    [url.username, url.password] = ['guest', 'opensesame'];
    expect(await failToStart(url.href)).toEqual([7, expect.stringContaining('lacks a right')]);
  });

  test('the database is not encoded in UTF-8', async () => {
    await using database = await createDatabase();
    const url = new URL(database.url);
    const name = `${url.pathname.slice(1)}_latin`;
    await runSql(database.url, `CREATE DATABASE ${quoteName(name)} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    url.pathname = `/${name}`;
    expect(await failToStart(url.href)).toEqual([7, expect.stringMatching(/LATIN1.*UTF-?8|UTF-?8.*LATIN1/u)]);
    await runSql(database.url, `DROP DATABASE ${quoteName(name)} WITH (FORCE)`);
  });

  test('the server is older than version 15', async () => {
    await using server = await startOldPostgres('14.9', '140009');
    expect(await failToStart(server.url)).toEqual([7, expect.stringMatching(/14.*15/u)]);
  });

  test('the database is read-only', async () => {
    await using database = await createDatabase();
    await runSql(
      database.url,
      `ALTER DATABASE ${quoteName(new URL(database.url).pathname.slice(1))} SET default_transaction_read_only = on`,
    );
    expect(await failToStart(database.url)).toEqual([7, expect.stringContaining('read-only')]);
  });

  test('the schema of the database is of a newer release', async () => {
    await using database = await createDatabase();
    await createStoreTemplate('', tables).prepare(database.url);
    await runSql(database.url, 'UPDATE stockroom.schema_info SET version = 1000, oldest_compatible = 1000');
    expect(await failToStart(database.url)).toEqual([7, expect.stringContaining('1000')]);
  });

  test('another daemon uses the database and --test-clock is given', async () => {
    await using database = await createDatabase();
    await using other = await makeDatabaseHome(database.url);
    await other.start();
    expect(await failToStart(database.url, ['--test-clock'])).toEqual([7, expect.stringContaining('test clock')]);
  });
});
