/** Commands of /v1: the service of the profile, of `--url`, or the local daemon. */
import type { Interfaces } from '@oclif/core';
import { type Client, createClient } from '../client/client.ts';
import { daemonTransport, expectDaemon } from '../client/daemon.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { type Target, findTarget } from '../client/target.ts';
import { builtInTransport } from '../client/transport.ts';
import { EXIT } from './exit-codes.ts';
import { Failure, type Setting, usage } from './failure.ts';
import { dataDirFlag, urlFlag } from './flags.ts';
import { ServiceCommand } from './service-command.ts';

export abstract class ApiCommand extends ServiceCommand {
  static override baseFlags: Interfaces.FlagInput = { ...ServiceCommand.baseFlags, url: urlFlag, 'data-dir': dataDirFlag };

  private target: Target | undefined;

  protected async connect(): Promise<Client> {
    return (await this.connectLanes(1))[0] as Client;
  }

  /** So many clients of the same service, each over a connection of its own. `retry`: how each waits, when not as the flags say. */
  protected async connectLanes(count: number, retry: RetryPolicy = this.retryPolicy()): Promise<readonly Client[]> {
    const flags = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = findTarget({ profile: flags.profile, url: flags.url, dataDir: flags['data-dir'] }, process.env, process.cwd());
    this.target = target;
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
    return Array.from({ length: count }, () =>
      createClient({
        transport: daemon ? daemonTransport(daemon, dataDir) : builtInTransport({ url: url.value }),
        key: key?.value,
        retry,
        ...this.tracer(url.value.replace(/\/$/u, '')),
      }),
    );
  }

  /** To whom the requests of this command went, in words that stay the same when a local daemon takes another port. */
  protected get destination(): string {
    return this.target === undefined || this.target.local ? (this.target?.dataDir.value ?? '') : this.target.url.value;
  }

  protected override setting(): Setting {
    return { ...super.setting(), local: this.target?.local ?? true };
  }
}
