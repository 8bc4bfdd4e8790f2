import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { confirmOrCancel, mustConfirm } from '../../src/cli/input/confirm.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { replaceFlag } from '../../src/cli/settings/replace-data.ts';
import { resetTenant } from '../../src/contract/admin/tenants.ts';

export default operationCommand(resetTenant, {
  flags: replaceFlag,
  examples: ['tenants reset shop --yes', 'tenants reset shop --to before-checkout --yes'],
  async run(context) {
    mustConfirm(context, 'This replaces all data of the tenant');
    await confirmOrCancel(context, `Replace all data of ${String(context.args['tenant'])}?`, 'nothing was changed');
    await writeRecord(context, resetTenant);
  },
});
