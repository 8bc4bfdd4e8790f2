import { ApiCommand } from '../src/cli/api-command.ts';
import { getCatalog } from '../src/contract/catalog.ts';

const COLUMNS = ['id', 'method', 'path', 'scope', 'description'];

export default class Capabilities extends ApiCommand {
  static override summary = 'List what the key can use';
  static override examples = ['<%= config.bin %> capabilities', '<%= config.bin %> capabilities --columns method,path,scope -o csv'];

  async run(): Promise<void> {
    await this.parse(Capabilities);
    const view = this.checked({ fields: COLUMNS, columns: COLUMNS, whole: ['id', 'path'] });
    const client = await this.connect();
    const reply = await this.awaiting(client.call(getCatalog, {}));
    await this.printList({ data: reply.body.capabilities }, view, reply.text);
  }
}
