import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { testWebhook } from '../../src/contract/admin/webhooks.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default operationCommand(testWebhook, {
  summary: 'Send the connectivity check to a webhook endpoint',
  description: 'The check is unsigned, not recorded and not retried. Exits with 9 if the endpoint does not respond with 2xx.',
  examples: ['webhooks test 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e', 'webhooks test 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json'],
  async run(context) {
    const { output } = context;
    const reply = await writeRecord(context, testWebhook);
    const body = reply?.body as ResultOf<typeof testWebhook> | undefined;
    if (body?.data.ok !== false) return;
    process.exitCode = EXIT.checkFailed;
    if (body.data.httpStatus !== null && output.format !== 'json')
      output.printNote(
        'The check is unsigned, so a receiver that verifies signatures rejects it. `stockroom webhooks trigger` sends signed events; `stockroom webhooks deliveries show` has their payloads and answers',
      );
  },
});
