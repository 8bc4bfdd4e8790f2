/** The command of each operation. */
import type { Operation } from '../contract/operation.ts';

/** Commands whose words differ from the operation's id. */
const COMMAND_OF: Readonly<Record<string, string>> = {
  'catalog.get': 'capabilities',
  'organization.get': 'organization',
  'usage.get': 'usage',
  'audit.list': 'audit:export',
  'audit.trail': 'audit:list',
  'items.ingredients.create': 'items:ingredients:add',
  'items.ingredients.delete': 'items:ingredients:remove',
  'items.suppliers.create': 'items:suppliers:add',
  'items.suppliers.delete': 'items:suppliers:remove',
  'orders.lines.list': 'orders:lines',
  'stock_documents.lines.list': 'stock:lines:list',
  'stock_documents.lines.create': 'stock:lines:add',
  'stock_documents.lines.update': 'stock:lines:update',
  'stock_documents.lines.delete': 'stock:lines:remove',
  'stock_levels.list': 'stock:levels',
  'webhooks.replays.create': 'webhooks:deliveries:replay',
  'reorder_points.list': 'stock:levels:points',
  'reorder_advice.list': 'stock:reorder',
  'stock.reorder_point.set': 'stock:levels:set',
  'stock.reorder.create': 'stock:reorder',
  'doctor.run': 'doctor',
  'doctor.repair': 'doctor',
  'seed.start': 'seed',
  'data.reset': 'reset',
  'daemon.requests': 'requests:list',
  'console.open': 'console',
};

/** `items:list` */
export const getCommandId = ({ id }: Pick<Operation, 'id'>): string =>
  COMMAND_OF[id] ??
  id
    .replace(/^settings\./u, '')
    .replace(/^stock_/u, 'stock.')
    .replaceAll('.', ':');
