/** Columns of items to reorder, and of what was ordered. */

/** Columns at a terminal, which shows the commands below the table: there they are never cut. */
export const REORDER_TABLE_COLUMNS = [
  'item.sku',
  'item.name',
  'reason',
  'quantity',
  'unit.symbol',
  'supplier.name',
  'site.name',
  'onHand',
  'committed',
  'incoming',
  'drafted',
  'reorderPoint',
] as const;

export const REORDER_COLUMNS = ['module', ...REORDER_TABLE_COLUMNS, 'command', 'note'] as const;

export const ORDERED_COLUMNS = [
  'orderNumber',
  'item.sku',
  'item.name',
  'quantity',
  'unit.symbol',
  'supplier.name',
  'site.name',
  'status',
  'dueDate',
  'module',
  'orderId',
] as const;
