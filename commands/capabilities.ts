import { ApiCommand } from '../src/cli/base-commands/api-command.ts';
import { getCatalog } from '../src/contract/resources/catalog.ts';

const COLUMNS = ['id', 'method', 'path', 'scope', 'description'];

export default class Capabilities extends ApiCommand {
  static override summary = 'List the API operations that the key can call';
  static override examples = ['<%= config.bin %> capabilities', '<%= config.bin %> capabilities --columns method,path,scope -o csv'];

  async run(): Promise<void> {
    await this.parse(Capabilities);
    const view = this.validateOutput({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['id', 'path'] });
    const client = await this.connect();
    const reply = await this.withWaitIndicator(client.call(getCatalog, {}));
    await this.printList({ data: reply.body.capabilities }, view, reply.text);
  }
}
