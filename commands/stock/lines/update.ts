import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { writeStockLine } from '../../../src/cli/stock/write-stock-line.ts';
import { updateStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Update a line of a draft',
  description: 'Omitted fields are unchanged.',
  args: paramArgs(updateStockLine),
  flags: { ...bodyFlags(updateStockLine), ...writeFlags },
  examples: [
    'stock lines update RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --quantity 6',
    'stock lines update RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --unit-cost 0.12',
  ],
  async run(context) {
    await writeStockLine(context, updateStockLine);
  },
});
