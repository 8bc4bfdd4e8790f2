import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { printNamed } from '../../../src/cli/records/name-references.ts';
import { getView, requestOnce } from '../../../src/cli/records/request.ts';
import { showRecord } from '../../../src/cli/records/write-record.ts';
import { formatNextAttempt, formatRequest, formatResponse, getAttemptView, toAttemptRows } from '../../../src/cli/views/delivery.ts';
import { DELIVERY_ID, resolveDeliveryId } from '../../../src/cli/webhooks/delivery-rows.ts';
import { showDelivery } from '../../../src/contract/admin/webhooks.ts';
import { Args } from '@oclif/core';

export default operationCommand(showDelivery, {
  args: { delivery_id: Args.string({ required: true, description: DELIVERY_ID }) },
  examples: ['webhooks deliveries show 2b3c4d5e', 'webhooks deliveries show 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e --json'],
  async run(typed) {
    const { output } = typed;
    const context = { ...typed, args: { delivery_id: await resolveDeliveryId(typed, typed.args.delivery_id) } };
    if (!output.isPlainTable) {
      await showRecord(context, showDelivery);
      return;
    }
    const { data } = (await requestOnce(context, showDelivery)).body;
    const { fields, columns } = getView(showDelivery);
    const view = { fields, columns: columns.filter((column) => !/^(?:request|history)\b/u.test(column)) };
    await printNamed(context, showDelivery, data, view, '');
    if (data.request !== null) {
      const lines = formatRequest(data.request, output.getPaint(process.stdout), output.terminalWidth ?? Infinity);
      await output.write(`\n${lines.join('\n')}\n`);
    }
    if (data.history.length === 0) return;
    await output.write('\n');
    await output.printList({ data: toAttemptRows(data) }, getAttemptView(data, output.terminalWidth));
    const response = formatResponse(data, output.getPaint(process.stdout));
    if (response.length > 0) await output.write(`\n${response.join('\n')}\n`);
    const next = formatNextAttempt(data);
    if (next.length > 0) await output.write(`\n${next.join('\n')}\n`);
  },
});
