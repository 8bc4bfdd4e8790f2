import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getView } from '../../src/cli/records/request.ts';
import { submitRecord } from '../../src/cli/records/write-record.ts';
import { createLoginCode } from '../../src/contract/admin/oauth.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default operationCommand(createLoginCode, {
  description: 'Enter the code on the consent page to prove that you own this service. Do not share it.',
  examples: ['oauth login', 'oauth login --json'],
  async run(context) {
    const { output } = context;
    const view = getView(createLoginCode);
    const shown = output.validateView({ fields: ['code', ...view.fields], columns: ['code', ...view.columns] });
    const reply = await submitRecord(context, createLoginCode);
    if (!reply) return;
    const { data, code } = reply.body as ResultOf<typeof createLoginCode>;
    await output.printOne({ data: { code, ...data } }, shown, reply.text);
  },
});
