import { importCommand } from '../../src/cli/bulk/import-command.ts';
import { ITEMS } from '../../src/cli/bulk/resources.ts';

export default importCommand(ITEMS, [
  'items import catalogue.csv',
  "items import prices.csv --upsert sku --map 'Part no.=sku' --map 'Color='",
  'items import items.csv --upsert id',
]);
