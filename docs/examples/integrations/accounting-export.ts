// Revenue of a period and the value of the stock at its end, as CSV: `node accounting-export.ts 2026-11-01T00:00:00Z 2026-12-01T00:00:00Z`.
import { stockroomClient } from 'stockroom/client';

const [since = '1970-01-01T00:00:00Z', until = new Date().toISOString()] = process.argv.slice(2);
await using client = stockroomClient();

console.log('kind,number,date,amount,tax');
// Lines and totals come with the list: a request for 200 orders.
const orders = client.orders.list({
  module: 'sell',
  status: ['completed'],
  completed_since: since,
  completed_until: until,
  include: ['totals', 'lines'],
});
for await (const { orderNumber, completedAt, subtotal = 0, discountTotal = 0, taxTotal = 0 } of orders)
  console.log(['sale', orderNumber, completedAt, (subtotal - discountTotal).toFixed(2), taxTotal.toFixed(2)].join(','));

// From the ledger, exactly as it was then.
let value = 0;
for await (const { stockValue } of client.stockLevels.list({ as_of: until })) value += stockValue ?? 0;
console.log(['stock', '', until, value.toFixed(2), ''].join(','));
