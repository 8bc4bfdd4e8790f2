import { defineCommand } from '../src/cli/command/define-command.ts';
import { withWaitIndicator } from '../src/cli/output/wait-indicator.ts';
import { apiAccess } from '../src/cli/session/api-session.ts';
import { getCatalog } from '../src/contract/resources/catalog.ts';

const COLUMNS = ['id', 'method', 'path', 'scope', 'description'];

export default defineCommand({
  access: apiAccess,
  summary: 'List the API operations that the key can call',
  examples: ['capabilities', 'capabilities --columns method,path,scope -o csv'],
  async run({ output, session }) {
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['id', 'path'] });
    const client = await session.connect();
    const reply = await withWaitIndicator(client.call(getCatalog, {}));
    await output.printList({ data: reply.body.capabilities }, view, reply.text);
  },
});
