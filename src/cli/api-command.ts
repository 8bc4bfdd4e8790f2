/** Commands of /v1: the service of the profile, of `--url`, or the local daemon. */
import type { Interfaces } from '@oclif/core';
import { type Client, createClient } from '../client/client.ts';
import { daemonTransport, expectDaemon } from '../client/daemon.ts';
import { type Target, findTarget } from '../client/target.ts';
import { type Transport, builtInTransport } from '../client/transport.ts';
import { EXIT } from './exit-codes.ts';
import { Failure, type Setting, usage } from './failure.ts';
import { dataDirFlag, urlFlag } from './flags.ts';
import { ServiceCommand } from './service-command.ts';

export abstract class ApiCommand extends ServiceCommand {
  static override baseFlags: Interfaces.FlagInput = { ...ServiceCommand.baseFlags, url: urlFlag, 'data-dir': dataDirFlag };

  private target: Target | undefined;

  /** Where this command's requests go. */
  protected findTarget(): Target {
    const flags = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    this.target = findTarget({ profile: flags.profile, url: flags.url, dataDir: flags['data-dir'] }, process.env, process.cwd());
    return this.target;
  }

  protected async connect(): Promise<Client> {
    const { transport, key, url } = await this.reach();
    return createClient({ transport, key, retry: this.retryPolicy(), ...this.tracer(url.replace(/\/$/u, '')) });
  }

  /** Where requests go and with which key, as the flags, the environment and the profile say at this moment. */
  protected async reach(): Promise<{ transport: Transport; key: string | undefined; url: string }> {
    const target = this.findTarget();
    const { url, key, keyWithheld, profile } = target;
    if (!/^https?:\/\//u.test(url.value) || !URL.canParse(url.value))
      throw usage(`"${url.value}" (from ${url.origin}) is not an http or https address`);
    const { value: dataDir } = target.dataDir;
    const daemon = target.local ? expectDaemon(target.daemon, dataDir) : undefined;
    if (keyWithheld) {
      throw new Failure(
        'key_withheld',
        `the key of profile ${profile.value} was saved for another address and is not sent to ${url.value}`,
        {
          exit: EXIT.denied,
          hint: `add a profile for it: \`stockroom profile add NAME --url ${url.value}\`, or set STOCKROOM_API_KEY`,
        },
      );
    }
    const transport = daemon ? daemonTransport(daemon, dataDir) : builtInTransport({ url: url.value });
    return { transport, key: key?.value, url: url.value };
  }

  protected override setting(): Setting {
    return { ...super.setting(), local: this.target?.local ?? true };
  }
}
