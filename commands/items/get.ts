import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { showRecord } from '../../src/cli/records/write-record.ts';
import { STOCK_FIELDS, addStock } from '../../src/cli/stock/item-stock.ts';
import { getItem } from '../../src/contract/resources/items.ts';

export default operationCommand(getItem, {
  examples: ['items get KES-HB-250', 'items get KES-HB-250 --json'],
  async run(context) {
    await showRecord(context, getItem, async (item, view) => {
      const [data] = await addStock(context.session, [item], { isOptional: true });
      return {
        data,
        view: { ...view, columns: ['name', 'sku', ...STOCK_FIELDS, ...view.columns.filter((name) => !['name', 'sku'].includes(name))] },
      };
    });
  },
});
