import { defineCommand } from '../../src/cli/command/define-command.ts';
import { readConfig, setActiveProfile } from '../../src/client/settings/profiles.ts';
import { resolveTarget, UnknownProfile } from '../../src/client/settings/target.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  summary: 'Switch the active profile',
  args: { name: Args.string({ required: true, description: 'Name of a saved profile.' }) },
  examples: ['profile use local', 'profile use staging'],
  async run({ args, output }) {
    const { profiles } = readConfig(process.env);
    if (!profiles[args.name]) throw new UnknownProfile({ value: args.name, origin: 'the command line' }, Object.keys(profiles));
    setActiveProfile(process.env, args.name);
    await output.printText(JSON.stringify({ data: { name: args.name } }), '');
    output.printNote(`Now using profile ${args.name}${describeOverride(args.name)}`);
  },
});

/** Describes a setting that overrides the chosen profile in the current directory; empty if there is none. */
function describeOverride(name: string): string {
  try {
    const { profile, isProfileSaved } = resolveTarget({}, process.env, process.cwd());
    return isProfileSaved && profile.value !== name ? `, but ${profile.origin} selects ${profile.value} here` : '';
  } catch {
    // The selected profile does not exist; the command that uses it reports that.
    return '';
  }
}
