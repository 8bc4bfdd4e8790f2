import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { confirmOrCancel } from '../../src/cli/input/confirm.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { replaceFlag } from '../../src/cli/settings/replace-data.ts';
import { resetTenant } from '../../src/contract/admin/tenants.ts';

export default operationCommand(resetTenant, {
  flags: replaceFlag,
  examples: ['tenants reset shop --yes', 'tenants reset shop --to before-checkout --yes'],
  async run(context) {
    const { args, flags, output } = context;
    if (!flags['yes'] && !flags['dry-run'] && !output.canPrompt)
      throw usageError('Cannot prompt without a terminal; pass --yes', 'This replaces all data of the tenant');
    await confirmOrCancel(context, `Replace all data of ${String(args['tenant'])}?`, 'nothing was changed');
    await writeRecord(context, resetTenant);
  },
});
