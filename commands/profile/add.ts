import { resolve } from 'node:path';
import { Args, Flags } from '@oclif/core';
import { checkedService } from '../../src/cli/address.ts';
import { PROFILE_NAME, chooseProfile, saveProfile } from '../../src/client/saved.ts';
import { StockroomCommand } from '../../src/cli/command.ts';
import { usage } from '../../src/cli/failure.ts';
import { notEmpty } from '../../src/cli/flags.ts';
import { readSecret } from '../../src/cli/secret.ts';

export default class ProfileAdd extends StockroomCommand {
  static override summary = 'Save an address and a key under a name';
  static override description =
    'A key comes from a file or from stdin, never from the command line, where every process of the machine could read it.';
  static override args = {
    name: Args.string({ required: true, ignoreStdin: true, description: 'What to call it; a profile of that name is replaced.' }),
  };
  static override flags = {
    url: Flags.string({ helpValue: 'URL', description: 'Address of the service.', exclusive: ['data-dir'] }),
    'data-dir': Flags.string({ ...notEmpty('data-dir'), helpValue: 'DIR', description: 'The local daemon of this data directory.' }),
    tenant: Flags.string({ helpValue: 'SLUG', description: 'The tenant that settings commands mean.' }),
    'api-key': Flags.string({ helpValue: '-', description: 'Read the key from stdin.', exclusive: ['api-key-file'] }),
    'api-key-file': Flags.string({ helpValue: 'FILE', description: 'Read the key from a file.' }),
    use: Flags.boolean({ description: 'Also use it from now on.' }),
  };
  static override examples = [
    '<%= config.bin %> profile add staging --url http://10.0.0.5:8625 --api-key-file key.txt',
    'printenv STAGING_KEY | <%= config.bin %> profile add staging --url http://10.0.0.5:8625 --api-key - --use',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfileAdd);
    const { url, tenant, 'data-dir': dataDir } = flags;
    if (!PROFILE_NAME.test(args.name))
      throw usage(
        `"${args.name}" cannot be the name of a profile`,
        'letters, digits, dots, hyphens and underscores, beginning with a letter or digit',
      );
    if (url === undefined && dataDir === undefined) throw usage('what should the profile point at?', 'name --url or --data-dir');
    if (url !== undefined) checkedService(url, '--url');
    const apiKey = await readSecret({ file: flags['api-key-file'], stdin: flags['api-key'] });
    const profile = {
      ...(url === undefined ? {} : { url }),
      ...(dataDir === undefined ? {} : { dataDir: resolve(dataDir) }),
      ...(tenant === undefined ? {} : { tenant }),
    };
    saveProfile(process.env, args.name, profile, apiKey);
    if (flags.use) chooseProfile(process.env, args.name);
    await this.printText(JSON.stringify({ data: { name: args.name, ...profile, hasKey: apiKey !== undefined } }), '');
    this.note(`saved profile ${args.name}${apiKey === undefined ? ', without a key' : ''}`);
  }
}
