/** Commands use what extends the given contract only where the service has it or the user asks for it. */
import { expect, test } from 'vitest';
import { startStockroom } from '../../../src/embedded/index.ts';
import { makeHome } from '../../support/cli/home.ts';

test('daily commands at a terminal work on a service of the given contract', async () => {
  await using service = await startStockroom({ contract: 'strict' });
  await using home = await makeHome();
  const env = { STOCKROOM_URL: service.url, STOCKROOM_API_KEY: service.apiKey };
  const run = async (line: string, input?: string): Promise<string> => {
    const ran = await home.run(line.split(' '), { env, ...(input === undefined ? { columns: 80 } : { input }) });
    expect([line, ran.exit, ran.stderr]).toEqual([line, 0, expect.not.stringContaining('extension')]);
    return ran.stdout;
  };
  await run('items create --name Bolt --sku B-1');
  await run('contacts create --name Ana --contact-type customer');
  expect(await run('items list')).toContain('B-1');
  expect(await run('items get B-1')).toContain('Bolt');
  await run('stock receive B-1:5');
  await run('stock count B-1:4');
  await run('orders create sell --contact-id Ana --line B-1:1 --status open');
  expect(await run('orders list sell')).toContain('SO-000001');
  expect(await run('orders get SO-000001')).toContain('B-1');
  await run('orders ship SO-000001');
  await run('orders complete SO-000001');
  expect(await run('items export')).toContain('B-1');
  expect(await run('orders export sell')).toMatch(/SO-000001,sell,completed,Ana,.*,B-1,Bolt,/u);
  await run('items import - --upsert sku', 'name,sku,salePrice\nBolt,B-1,3\n');
  const all = await home.run(['orders', 'list'], { env, columns: 80 });
  expect([all.exit, all.stderr]).toEqual([2, expect.stringContaining('This service lists the orders of one module at a time')]);
});
