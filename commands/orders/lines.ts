import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { listFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { LINE_COLUMNS } from '../../src/cli/base-commands/order-command.ts';
import { listOrderLines } from '../../src/contract/resources/order-lines.ts';

export default class OrdersLines extends ApiCommand {
  static override summary = 'List the lines of an order';
  static override args = paramArgs(listOrderLines);
  static override flags = { ...listFlags(listOrderLines) };
  static override examples = ['<%= config.bin %> orders lines SO-000012', '<%= config.bin %> orders lines SO-000012 --all -o ndjson'];

  async run(): Promise<void> {
    await this.list(listOrderLines, await this.parse(OrdersLines), LINE_COLUMNS);
  }
}
