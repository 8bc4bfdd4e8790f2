import { defineCommand } from '../../src/cli/command/define-command.ts';
import { listProfilesWithKeys, readConfig } from '../../src/client/settings/profiles.ts';
import { getActiveProfile } from '../../src/client/settings/target.ts';

const COLUMNS = ['name', 'inUse', 'url', 'dataDir', 'tenant', 'hasKey'];

export default defineCommand({
  summary: 'List saved profiles',
  examples: ['profile list', 'profile list --json'],
  async run({ output }) {
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS });
    const { profiles } = readConfig(process.env);
    const inUse = getActiveProfile(process.env, process.cwd());
    const withKeys = listProfilesWithKeys(process.env);
    const data = Object.entries(profiles).map(([name, { url = null, dataDir = null, tenant = null }]) => {
      return { name, inUse: name === inUse, url, dataDir, tenant, hasKey: withKeys.includes(name) };
    });
    await output.printList({ data }, view);
    if (data.length === 0)
      output.printNote('No profiles yet. The first `stockroom daemon start` creates one; add others with `stockroom profile add`');
  },
});
