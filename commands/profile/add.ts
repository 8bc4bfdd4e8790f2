import { defineCommand } from '../../src/cli/command/define-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { requireValue } from '../../src/cli/input/common-flags.ts';
import { readKeyFile, rejectKeyArgument } from '../../src/cli/input/secret.ts';
import { omitUndefined } from '../../src/cli/records/request.ts';
import { validateServiceUrl } from '../../src/cli/input/service-url.ts';
import { PROFILE_NAME, readKey, saveProfile, setActiveProfile } from '../../src/client/settings/profiles.ts';
import { Args, Flags } from '@oclif/core';
import { resolve } from 'node:path';

export default defineCommand({
  summary: 'Save a service URL and key as a profile',
  description: 'The key is read from a file or from stdin, never from the command line, which other processes can read.',
  args: {
    name: Args.string({ required: true, description: 'Name of the profile; an existing one is replaced.' }),
  },
  flags: {
    url: Flags.string({ helpValue: 'URL', description: 'URL of the service.', exclusive: ['data-dir'] }),
    'data-dir': Flags.string({ ...requireValue('data-dir'), helpValue: 'DIR', description: 'Data directory of a local daemon.' }),
    tenant: Flags.string({ helpValue: 'SLUG', description: 'Default tenant of commands that administer the daemon.' }),
    'api-key-file': Flags.string({ helpValue: 'FILE|-', description: 'File with the API key, or - for stdin.' }),
    // Its name in earlier releases.
    'api-key': Flags.string({ hidden: true, helpValue: '-', exclusive: ['api-key-file'] }),
    use: Flags.boolean({ description: 'Also make it the active profile.' }),
  },
  examples: [
    '<%= config.bin %> profile add staging --url http://10.0.0.5:8625 --api-key-file key.txt',
    'printenv STAGING_KEY | <%= config.bin %> profile add staging --url http://10.0.0.5:8625 --api-key-file - --use',
  ],
  async run({ args, flags, output }) {
    const { url, tenant, 'data-dir': dataDir } = flags;
    if (!PROFILE_NAME.test(args.name))
      throw usageError(
        `Invalid NAME "${args.name}"`,
        'Use letters, digits, dots, hyphens and underscores, starting with a letter or digit',
      );
    if (url === undefined && dataDir === undefined) throw usageError('Missing required flag --url or --data-dir');
    if (url !== undefined) validateServiceUrl(url, '--url');
    if (flags['api-key'] !== undefined) rejectKeyArgument(flags['api-key']);
    const keyFile = flags['api-key'] ?? flags['api-key-file'];
    const apiKey = await readKeyFile(keyFile);
    if (keyFile !== undefined) output.warnIfReadableByOthers(keyFile);
    const profile = omitUndefined({ url, dataDir: dataDir === undefined ? undefined : resolve(dataDir), tenant });
    saveProfile(process.env, args.name, profile, apiKey);
    if (flags.use) setActiveProfile(process.env, args.name);
    const hasKey = readKey(process.env, args.name) !== undefined;
    await output.printText(JSON.stringify({ data: { name: args.name, ...profile, hasKey } }), '');
    output.printNote(`Saved profile ${args.name}${hasKey ? '' : ' without a key'}`);
  },
});
