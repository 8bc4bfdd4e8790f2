import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listRecords } from '../../src/cli/records/list-records.ts';
import { STOCK_FIELDS, addStock } from '../../src/cli/stock/item-stock.ts';
import { listItems } from '../../src/contract/resources/items.ts';
import { Flags } from '@oclif/core';

const COLUMNS = ['id', 'name', 'sku', 'salePrice', 'itemType', 'supplier.name', 'category.name', 'isActive', 'updatedAt'];
const STOCK_COLUMNS = ['id', 'name', 'sku', ...STOCK_FIELDS, ...COLUMNS.slice(3)];

export default operationCommand(listItems, {
  flags: {
    stock: Flags.boolean({
      allowNo: true,
      description: 'Add what is on hand and available at all sites. Default: in tables, if the key may read stock.',
    }),
  },
  examples: [
    'items list --search bolt',
    'items list --stock --columns sku,onHand,available -o csv',
    'items list --item-type product,combo --sort -updated_at --all -o csv',
  ],
  async run(context) {
    const { flags, output, session } = context;
    const isAsked = flags.stock ?? STOCK_FIELDS.some((field) => output.selectsColumn(field));
    if (!isAsked && !(output.isPlainTable && flags.stock === undefined))
      await listRecords(context, listItems, COLUMNS, { addedFields: STOCK_FIELDS });
    else
      await listRecords(context, listItems, STOCK_COLUMNS, {
        addedFields: STOCK_FIELDS,
        addFields: (rows) => addStock(session, rows, { isOptional: !isAsked }),
        hiddenIfEmpty: STOCK_FIELDS,
      });
  },
});
