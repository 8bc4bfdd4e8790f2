import { defineCommand } from '../../src/cli/command/define-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { confirmOrCancel } from '../../src/cli/input/confirm.ts';
import { readConfig, removeProfile } from '../../src/client/settings/profiles.ts';
import { UnknownProfile } from '../../src/client/settings/target.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  summary: 'Remove a profile and its key',
  args: { name: Args.string({ required: true, description: 'Name of a saved profile.' }) },
  flags: { ...yesFlag },
  examples: ['profile remove staging', 'profile remove staging --yes'],
  async run(context) {
    const { args, output } = context;
    const { profiles } = readConfig(process.env);
    if (!profiles[args.name]) throw new UnknownProfile({ value: args.name, origin: 'the command line' }, Object.keys(profiles));
    await confirmOrCancel(context, `Remove profile ${args.name} and its key?`, 'the profile was not removed');
    removeProfile(process.env, args.name);
    await output.printText(JSON.stringify({ data: { name: args.name } }), '');
    output.printNote(`Removed profile ${args.name}`);
  },
});
