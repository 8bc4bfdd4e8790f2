import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { readRequestBody, writeFlags } from '../../src/cli/input/request-body.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { triggerEvent } from '../../src/contract/admin/webhooks.ts';
import { EMITTED_EVENTS, RESERVED_EVENTS, TEST_EVENT } from '../../src/contract/events.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Trigger an event with sample data',
  hiddenAliases: ['trigger'],
  description: `Deliveries are signed and recorded like those of real events; --set changes or adds fields of the sample data. Reserved events (${RESERVED_EVENTS.join(', ')}) are not sent; ${TEST_EVENT} is sent by \`webhooks test\`.`,
  args: {
    event: Args.string({ required: true, options: [...EMITTED_EVENTS], description: 'Name of the event.' }),
  },
  flags: { set: writeFlags.set, 'dry-run': writeFlags['dry-run'], tenant: tenantFlag },
  examples: ['webhooks trigger order.created --set status=completed --set total=99.5', 'webhooks trigger inventory.item.updated --json'],
  async run(context) {
    const { args, flags } = context;
    const data = await readRequestBody({}, flags);
    await writeRecord({ ...context, flags: { tenant: flags.tenant, 'dry-run': flags['dry-run'] } }, triggerEvent, {
      event: args.event,
      data,
    });
  },
});
