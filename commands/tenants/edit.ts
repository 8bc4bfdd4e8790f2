import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getTenant, updateTenant } from '../../src/contract/admin/tenants.ts';

export default editCommand(getTenant, updateTenant, ['tenants edit kestrel-coffee', 'tenants edit kestrel-coffee --dry-run']);
