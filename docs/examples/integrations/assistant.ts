// What an assistant does with the stock toolset of /mcp, without a library: it asks what is short, previews a receipt, and posts it with --yes.
// `node assistant.ts SKU QUANTITY [--yes]`
import { stockroomClient } from 'stockroom/client';

const [sku = '', quantity = '1', ...flags] = process.argv.slice(2);
const { STOCKROOM_URL: url = 'http://127.0.0.1:8625', STOCKROOM_API_KEY: key = '' } = process.env;
await using client = stockroomClient();
const item = (await client.items.list({ sku: [sku] })).data[0];
if (!item) throw new Error(`There is no item ${sku}`);

const { data: shortages } = (await call('list_shortages')) as { data: { item: { sku: string } }[] };
console.log(`short: ${shortages.map((level) => level.item.sku).join(', ') || 'nothing'}`);

const receipt = { type: 'receipt', lines: [{ itemId: item.id, quantity: Number(quantity), unitCost: item.purchasePrice ?? 0 }] };
const preview = (await call('post_stock_document', { ...receipt, preview: true })) as Effect & { preview_token: string };
console.log(`it would be ${preview.data.stockEffects[0]?.onHandAfter ?? 0} on hand`);
if (flags.includes('--yes')) {
  const confirmed = { preview_token: preview.preview_token, confirm: true, idempotency_key: crypto.randomUUID() };
  const posted = (await call('post_stock_document', { ...receipt, ...confirmed })) as Effect;
  console.log(`${posted.data.documentNumber} is posted`);
}

interface Effect {
  data: { documentNumber: string; stockEffects: { onHandAfter: number }[] };
}

interface Result {
  isError?: boolean;
  content: { text: string }[];
  structuredContent: object;
}

async function call(name: string, args: object = {}): Promise<unknown> {
  const response = await fetch(`${url}/mcp?toolset=stock`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result: Result };
  if (result.isError) throw new Error(result.content[0]?.text);
  return result.structuredContent;
}
