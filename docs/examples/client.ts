// Puts a few items in, reads them back, and shows what a refusal looks like.
// For Node 24, because of `await using`; in Node 22 say `const client` and end with `await client.close()`.
// STOCKROOM_URL and STOCKROOM_API_KEY say where and as whom: `STOCKROOM_API_KEY=pk_test_… node client.ts`.
import { ApiError, stockroomClient } from 'stockroom/client';

await using client = stockroomClient({ onWait: ({ milliseconds, reason }) => console.error(`${reason}: waiting ${milliseconds} ms`) });

const prices = { 'BOLT-M6': 0.35, 'BOLT-M8': 0.42, 'NUT-M6': 0.08 };
for (const [sku, salePrice] of Object.entries(prices)) {
  try {
    const { data: item } = await client.items.create({ name: `Part ${sku}`, sku, salePrice });
    console.log(`created ${item.sku} at ${item.salePrice}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'DUPLICATE_VALUE') throw error;
    console.log(`${sku} is there already`);
  }
}

// One page, with what there is in all …
const { pagination } = await client.items.list({ search: 'bolt', page_size: 1 });
console.log(`${pagination.total} items match`);
// … or every row of every page.
for await (const item of client.items.list({ search: 'bolt', sort: 'sku' })) console.log(item.sku);

// A signal gives up the request and every wait for another try.
const { data: organization } = await client.organization.get({ signal: AbortSignal.timeout(5_000) });
console.log(`in ${organization.name}, ${organization.plan}`);
