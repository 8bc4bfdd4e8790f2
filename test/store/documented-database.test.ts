/** The statements and configurations in docs/scale-out.md. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { resolveDeploymentSettings } from '../../src/daemon/deployment-settings.ts';
import { tables } from '../../src/domain/tables.ts';
import { HEALTH_PATH, READY_PATH } from '../../src/http/health-path.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { getSection } from '../support/cli/documented-commands.ts';
import { createTestDatabase } from '../support/resources/migrations.ts';
import { runSql } from '../support/postgres/sql.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/scale-out.md', import.meta.url)), 'utf8');

const listBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gmsu'))].map(([, block]) => block!);

test('the statements for monitoring run on the database of a daemon', async () => {
  const { url } = await createTestDatabase();
  await (await openPostgresStore({ url, tables })).close();
  const [block = ''] = listBlocks(getSection(page, 'Monitoring'), 'sql');
  const statements = block.trim().split('\n');
  expect(statements.length).toBeGreaterThan(3);
  for (const statement of statements) await runSql(url, statement);
});

test('the extensions are those that indexes use, and an ordinary owner of a database may create them', async () => {
  const { url } = await createTestDatabase();
  const block = listBlocks(getSection(page, 'Database'), 'sql').find((text) => text.includes('EXTENSION')) ?? '';
  for (const statement of block.trim().split('\n')) await runSql(url, statement);
  const { rows } = await runSql(url, 'SELECT extname FROM pg_extension ORDER BY extname');
  expect(rows).toEqual([{ extname: 'btree_gin' }, { extname: 'pg_trgm' }, { extname: 'plpgsql' }]);
});

test('the configurations probe the health paths, and give a daemon the time to drain', () => {
  const [compose = '', deployment = ''] = listBlocks(page, 'yaml');
  const [unit = ''] = listBlocks(page, 'ini');
  const { drainSeconds } = resolveDeploymentSettings({}, {}, {}, { hasSharedStore: true, insecure: false, configFile: '' });
  const graces = [
    /stop_grace_period: (\d+)s/u.exec(compose),
    /terminationGracePeriodSeconds: (\d+)/u.exec(deployment),
    /TimeoutStopSec=(\d+)/u.exec(unit),
  ];
  for (const grace of graces) expect(Number(grace?.[1])).toBeGreaterThanOrEqual(drainSeconds + 15);
  expect(/readinessProbe:\s+httpGet: \{ path: ([^,]+),/u.exec(deployment)?.[1]).toBe(READY_PATH);
  expect(/livenessProbe:\s+httpGet: \{ path: ([^,]+),/u.exec(deployment)?.[1]).toBe(HEALTH_PATH);
});
