import { operationCommand } from '../src/cli/command/operation-command.ts';
import { requestOnce } from '../src/cli/records/request.ts';
import { getCatalog } from '../src/contract/resources/catalog.ts';

const COLUMNS = ['id', 'method', 'path', 'scope', 'description'];

export default operationCommand(getCatalog, {
  summary: 'List the API operations that the key can call',
  examples: ['capabilities', 'capabilities --columns method,path,scope -o csv'],
  async run(context) {
    const { output } = context;
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['id', 'path'] });
    const { body, text } = await requestOnce(context, getCatalog);
    await output.printList({ data: body.capabilities }, view, text);
  },
});
