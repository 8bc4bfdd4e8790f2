import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { formatKeyCommand } from '../../src/cli/errors/hints.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { createTenant } from '../../src/contract/admin/tenants.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default operationCommand(createTenant, {
  without: ['lease'],
  examples: [
    "tenants create --name 'Kestrel Coffee' --plan enterprise --timezone Europe/Lisbon",
    'tenants create --name Sandbox --plan free -o id',
    'tenants create --template sandbox --slug worker-1',
  ],
  async run(context) {
    const reply = await writeRecord(context, createTenant);
    if (!reply || !context.output.isPlainTable) return;
    const { data, secret } = reply.body as ResultOf<typeof createTenant>;
    if (secret !== undefined) return;
    const keyCommand = formatKeyCommand({ ...context.session.getHintContext(), tenant: data.slug });
    context.output.printNote(`It has no key yet; create one, with a profile of its own: \`${keyCommand}\``);
  },
});
