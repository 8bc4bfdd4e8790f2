/** Commands of /v1: the service of the profile, of `--url`, or the local daemon. */
import type { Interfaces } from '@oclif/core';
import { checkedService } from './address.ts';
import { type Client, createClient } from '../client/client.ts';
import { adminTransport, daemonTransport, expectDaemon } from '../client/daemon.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { type Target, findTarget } from '../client/target.ts';
import { type Transport, builtInTransport } from '../client/transport.ts';
import { EXIT } from './exit-codes.ts';
import { Failure, type Setting } from './failure.ts';
import { dataDirFlag, keyFileFlag, urlFlag } from './flags.ts';
import { isHeaderText, readSecret } from './secret.ts';
import { ServiceCommand } from './service-command.ts';
import { timeOf } from './since.ts';

const LIVE_KEY = 'pk_live_';

/** The key of `--api-key-file`. */
const keyOf = (file: string | undefined): Promise<string | undefined> => readSecret(file === '-' ? { stdin: file } : { file });

export abstract class ApiCommand extends ServiceCommand {
  static override baseFlags: Interfaces.FlagInput = {
    ...ServiceCommand.baseFlags,
    url: urlFlag,
    'data-dir': dataDirFlag,
    'api-key-file': keyFileFlag,
  };

  private target: Target | undefined;
  /** Read once: standard input has no second time. */
  private givenKey: string | undefined;

  /** Where this command's requests go. `key` is that of `--api-key-file`. */
  protected findTarget(key = this.givenKey): Target {
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = findTarget({ profile, url, dataDir, key }, process.env, process.cwd());
    if (!this.target) this.tellProduction(target);
    this.target = target;
    return target;
  }

  protected async connect(): Promise<Client> {
    return (await this.connectLanes(1))[0] as Client;
  }

  /** So many clients of the same service, each over a connection of its own. `retry`: how each waits, when not as the flags say. */
  protected async connectLanes(count: number, retry: RetryPolicy = this.retryPolicy()): Promise<readonly Client[]> {
    const { open, key, url } = await this.route();
    return Array.from({ length: count }, () => createClient({ transport: open(), key, retry, ...this.tracer(url.replace(/\/$/u, '')) }));
  }

  /** Where requests go and with which key, as the flags, the environment and the profile say at this moment. */
  protected async reach(): Promise<{ transport: Transport; key: string | undefined; url: string }> {
    const { open, key, url } = await this.route();
    return { transport: open(), key, url };
  }

  private async route(): Promise<{ open: () => Transport; key: string | undefined; url: string }> {
    this.givenKey ??= await keyOf((this.globals as { 'api-key-file'?: string })['api-key-file']);
    const target = this.findTarget();
    const { url, key, keyWithheld, profile } = target;
    checkedService(url.value, url.origin);
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
    if (key && !isHeaderText(key.value))
      throw new Failure('bad_key', `the key from ${key.origin} has a line break or another character that no key has`, {
        exit: EXIT.denied,
        hint: 'a key looks like pk_test_ or pk_live_ and 46 letters and digits',
      });
    const open = () => (daemon ? daemonTransport(daemon, dataDir) : builtInTransport({ url: url.value }));
    return { open, key: key?.value, url: url.value };
  }

  /** A service elsewhere is taken to have the time of this machine: its API does not tell. */
  protected async serviceTime(): Promise<Date> {
    const { local, daemon, dataDir } = this.findTarget();
    if (!local) return new Date();
    return timeOf(
      createClient({ transport: adminTransport(expectDaemon(daemon, dataDir.value), dataDir.value), retry: this.retryPolicy() }),
    );
  }

  /** To whom the requests of this command went, in words that stay the same when a local daemon takes another port. */
  protected get destination(): string {
    return this.target === undefined || this.target.local ? (this.target?.dataDir.value ?? '') : this.target.url.value;
  }

  /** A person should know when it is not a game. */
  private tellProduction({ key, profile, url }: Target): void {
    if (!key?.value.startsWith(LIVE_KEY) || !process.stderr.isTTY) return;
    this.note(
      this.paintFor(process.stderr)(
        'red',
        `PRODUCTION  ${url.value}, key of ${key.origin.startsWith('/') ? `profile ${profile.value}` : key.origin}`,
      ),
    );
  }

  protected override setting(): Setting {
    return { ...super.setting(), local: this.target?.local ?? true, dataDir: this.dataDirToName(this.target) };
  }
}
