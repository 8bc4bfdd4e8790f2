import { defineCommand } from '../../src/cli/command/define-command.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { repeatableWriteFlags } from '../../src/cli/input/request-body.ts';
import { toDisplayText } from '../../src/cli/output/fields.ts';
import { formatCount } from '../../src/cli/output/numbers.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { setFault } from '../../src/contract/admin/faults.ts';
import type { ResultOf } from '../../src/contract/operation.ts';
import { formatAlternatives } from '../../src/contract/schema/record-kinds.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Inject faults into requests or deliveries',
  description: `Matching requests or deliveries are delayed (--latency), answered with an error (--status) or disconnected (--drop). Replaces the fault with the same target; faults end with --times, --for, \`faults clear\` or when the daemon stops.`,
  args: {
    target: Args.string({
      required: true,
      description:
        "Method and path, with * as wildcard: 'POST /v1/items', 'GET /v1/*'. For deliveries: a webhook target URL, a prefix of it, or http://* for all with http.",
    }),
  },
  flags: {
    ...bodyFlags(setFault, ['target']),
    ...repeatableWriteFlags,
  },
  examples: [
    "faults set 'POST /v1/items' --status 503 --rate 0.1 --latency 200ms --retry-after 2",
    "faults set '* /v1/*' --latency 2s --for 10m",
    "faults set 'POST /v1/orders' --drop after --times 1",
    'faults set http://127.0.0.1:3000/hooks --status 500 --times 3',
  ],
  async run(context) {
    const { args, output } = context;
    const reply = await writeRecord(context, setFault, { target: args.target });
    if (!reply || !process.stderr.isTTY) return;
    const { remaining, expiresAt } = (reply.body as ResultOf<typeof setFault>).data;
    const ends = [
      ...(remaining === null ? [] : [`it has triggered ${formatCount(remaining)} ${remaining === 1 ? 'time' : 'times'}`]),
      ...(expiresAt === null ? [] : [toDisplayText(expiresAt)]),
      '`stockroom faults clear`',
      'the daemon stops',
    ];
    output.printNote(`Active until ${formatAlternatives(ends)}`);
  },
});
