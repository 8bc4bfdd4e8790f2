/**
 * The stock toolset, an extension: what an assistant needs to answer for stock and to act on it. Offered only when asked for, beside the twelve
 * tools of the contract. Its changes are previewed first, and applied with the token of their preview.
 */
import { PAGE_INPUTS, type Tool, defineTool } from './mcp-tools.ts';
import { createOrder, getOrder, updateOrder } from './resources/orders.ts';
import { listReorderAdvice } from './resources/reorder.ts';
import { createStockDocument } from './resources/stock-documents.ts';
import { listStockLevels } from './resources/stock-levels.ts';

/** Names of toolsets that a client can ask for. */
export const TOOLSETS = ['stock'] as const;
export type Toolset = (typeof TOOLSETS)[number];

const PREVIEW = 'Call it with preview first and show the effect to the user; then with the preview_token, confirm and an idempotency_key.';
const previewed = { risk: 'write', isPreviewed: true } as const;

export const STOCK_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'list_stock_levels',
    title: 'List stock levels',
    operation: listStockLevels,
    guidance: 'On hand, committed, incoming, available and projected by item and site.',
    inputs: [...PAGE_INPUTS, 'search', 'item_id', 'site_id'],
  }),
  defineTool({
    name: 'get_order',
    title: 'Get an order with its lines',
    operation: getOrder,
    inputs: ['order_id'],
    query: { include: 'lines' },
  }),
  defineTool({
    name: 'list_shortages',
    title: 'List shortages',
    operation: listStockLevels,
    summary: 'List stock levels that are low or oversold',
    guidance: 'At or below their reorder point, or with more committed than on hand.',
    inputs: [...PAGE_INPUTS, 'search', 'site_id'],
    query: { low_stock: true },
  }),
  defineTool({
    name: 'get_reorder_advice',
    title: 'Get reorder advice',
    operation: listReorderAdvice,
    guidance: 'What to buy or make, of whom and how much.',
  }),
  defineTool({
    ...previewed,
    name: 'create_order',
    title: 'Create an order',
    operation: createOrder,
    guidance: `An open order commits or expects stock; a draft does not. ${PREVIEW}`,
    inputs: ['module', 'contact_id', 'status', 'lines', 'site_id', 'due_date', 'reference', 'notes'],
  }),
  defineTool({
    ...previewed,
    name: 'complete_order',
    title: 'Complete an order',
    operation: updateOrder,
    isDestructive: true,
    summary: 'Complete an order, posting what is open',
    guidance: `Sales are issued, purchases received, production posted; documents of the order that are not posted are cancelled. ${PREVIEW}`,
    inputs: ['order_id'],
    body: { status: 'completed' },
  }),
  defineTool({
    ...previewed,
    name: 'post_stock_document',
    title: 'Create and post a stock document',
    operation: createStockDocument,
    summary: 'Create a stock document and post it',
    guidance: `Receipts, issues, transfers, adjustments, counts and productions change stock at once. ${PREVIEW}`,
    inputs: ['type', 'lines', 'site_id', 'to_site_id', 'order_id', 'contact_id', 'reason', 'reference', 'notes'],
    query: { approve: true },
  }),
];
