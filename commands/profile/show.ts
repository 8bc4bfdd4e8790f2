import { defineCommand } from '../../src/cli/command/define-command.ts';
import { Failure } from '../../src/cli/errors/failure.ts';
import { maskKey } from '../../src/cli/input/secret.ts';
import { readConfig, readKey } from '../../src/client/settings/profiles.ts';
import { getActiveProfile, resolveTarget, UnknownProfile } from '../../src/client/settings/target.ts';
import { Args } from '@oclif/core';

const FIELDS = ['name', 'inUse', 'url', 'dataDir', 'tenant', 'apiKey'];

export default defineCommand({
  summary: 'Show a profile with its key masked',
  args: { name: Args.string({ description: 'Name of a saved profile. Default: the active one.' }) },
  examples: ['profile show', 'profile show local --json'],
  async run(context) {
    const { args, output } = context;
    const view = output.validateView({ fields: FIELDS, columns: FIELDS });
    const { profiles } = readConfig(process.env);
    const name = args.name ?? getActiveName();
    const saved = profiles[name];
    if (!saved)
      throw new UnknownProfile({ value: name, origin: args.name === undefined ? 'default' : 'the command line' }, Object.keys(profiles));
    const key = readKey(process.env, name);
    const { url = null, dataDir = null, tenant = null } = saved;
    await output.printOne(
      {
        data: {
          name,
          inUse: name === getActiveProfile(process.env, process.cwd()),
          url,
          dataDir,
          tenant,
          apiKey: key === undefined ? null : maskKey(key),
        },
      },
      view,
    );
  },
});

function getActiveName(): string {
  const { profile, isProfileSaved, dataDir } = resolveTarget({}, process.env, process.cwd());
  if (!isProfileSaved && dataDir.origin !== 'default')
    throw new Failure('UNKNOWN_PROFILE', `No profile is saved for ${dataDir.value} (from ${dataDir.origin})`, {
      hint: 'List saved profiles: `stockroom profile list`',
    });
  return profile.value;
}
