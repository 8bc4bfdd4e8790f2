import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listStockDocuments } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(listStockDocuments, {
  columns: [
    'id',
    'documentNumber',
    'type',
    'status',
    'documentDate',
    'contact.name',
    'order.orderNumber',
    'totalCost',
    'site.name',
    'toSite.name',
    'lineCount',
    'reference',
    'updatedAt',
  ],
  hiddenIfEmpty: ['toSite.name', 'contact.name', 'order.orderNumber', 'reference'],
  examples: ['stock documents list --status draft,submitted', 'stock documents list --type receipt --date-from 2026-11-01 --all -o csv'],
});
