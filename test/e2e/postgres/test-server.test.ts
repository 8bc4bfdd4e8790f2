/** The PostgreSQL servers and databases that tests use. */
import { execa } from 'execa';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createDatabase } from '../../support/postgres/databases.ts';
import { startPostgresServer } from '../../support/postgres/server.ts';
import { runSql } from '../../support/postgres/sql.ts';

test('databases of tests are apart from each other and belong to an ordinary user', async () => {
  await using first = await createDatabase();
  await using second = await createDatabase();
  await runSql(first.url, 'CREATE TABLE things (id int)', 'INSERT INTO things VALUES (1)');
  await expect(runSql(second.url, 'SELECT * FROM things')).rejects.toThrow('does not exist');
  const { rows } = await runSql(
    first.url,
    `SELECT current_setting('is_superuser') AS super, current_setting('server_encoding') AS encoding`,
  );
  expect(rows).toEqual([{ super: 'off', encoding: 'UTF8' }]);
});

test('a server keeps its data and port when it is stopped, restarted and killed', async () => {
  await using server = await startPostgresServer({ durable: true, settings: ['deadlock_timeout = 7s'] });
  const read = async () => (await runSql(server.url, 'SELECT * FROM things')).rows as unknown;
  await runSql(server.url, 'CREATE TABLE things (id int)', 'INSERT INTO things VALUES (1)');
  await server.restart();
  expect(await read()).toEqual([{ id: 1 }]);
  await server.kill();
  await expect.poll(() => read().catch(() => 'unreachable')).toBe('unreachable');
  await server.start();
  expect(await read()).toEqual([{ id: 1 }]);
  expect((await runSql(server.adminUrl, 'SHOW fsync')).rows).toEqual([{ fsync: 'on' }]);
  expect((await runSql(server.url, 'SHOW deadlock_timeout')).rows).toEqual([{ deadlock_timeout: '7s' }]);
  await server.stop();
  await expect(read()).rejects.toThrow('ECONNREFUSED');
});

test('a server and its directory go when the process that started it is killed', async () => {
  const module = fileURLToPath(new URL('../../support/postgres/server.ts', import.meta.url));
  const script = `const { startPostgresServer } = await import(${JSON.stringify(module)});
    const { url, directory } = await startPostgresServer();
    console.log(JSON.stringify({ url, directory }));
    setInterval(() => {}, 1000);`;
  const owner = execa(process.execPath, ['--input-type=module', '--eval', script], { reject: false });
  const { value } = await owner[Symbol.asyncIterator]().next();
  const { url, directory } = JSON.parse(String(value)) as { url: string; directory: string };
  const pid = Number(readFileSync(`${directory}/data/postmaster.pid`, 'utf8').split('\n')[0]);
  expect(pid).toBeGreaterThan(1);
  owner.kill('SIGKILL');
  await expect.poll(() => existsSync(directory)).toBe(false);
  await expect(runSql(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
});
