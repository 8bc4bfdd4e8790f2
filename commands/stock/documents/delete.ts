import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../../src/cli/base-commands/service-command.ts';
import { deleteStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsDelete extends ApiCommand {
  static override summary = 'Delete a draft stock document';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteStockDocument);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = [
    '<%= config.bin %> stock documents delete RC-000003',
    '<%= config.bin %> stock documents delete RC-000003 --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteStockDocument, await this.parse(StockDocumentsDelete), 'stock document');
  }
}
