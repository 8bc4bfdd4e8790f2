import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { listFlags } from '../../../src/cli/input/operation-flags.ts';
import { listStockDocuments } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsList extends ApiCommand {
  static override summary = 'List stock documents';
  static override flags = { ...listFlags(listStockDocuments) };
  static override examples = [
    '<%= config.bin %> stock documents list --status draft,submitted',
    '<%= config.bin %> stock documents list --type receipt --date-from 2026-11-01 --all -o csv',
  ];

  async run(): Promise<void> {
    const columns = [
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
    ];
    const hiddenIfEmpty = ['toSite.name', 'contact.name', 'order.orderNumber', 'reference'];
    await this.list(listStockDocuments, await this.parse(StockDocumentsList), columns, { hiddenIfEmpty });
  }
}
