/** Commands after which a daemon holds other data than before. */
import { daemonTransport, expectDaemon } from '../client/daemon.ts';
import { ApiError } from '../client/errors.ts';
import { createClient } from '../client/client.ts';
import { profilesOfDataDir, readConfig, readKey } from '../client/saved.ts';
import { getAuthContext } from '../contract/auth-context.ts';
import { getStatus } from '../contract/admin/daemon.ts';
import { confirm } from './ask.ts';
import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { SettingsCommand } from './settings-command.ts';

export abstract class ReplacingCommand extends SettingsCommand {
  /** Asks the person at the terminal, naming what would be lost. `by`: what takes the place. */
  protected async askToReplace(by: string): Promise<void> {
    const client = await this.connect();
    const { rows, tenants } = (await client.call(getStatus, {})).body.data;
    const held = `${String(rows['items'] ?? 0)} items and ${String(rows['orders'] ?? 0)} orders of ${String(tenants)} tenants`;
    this.note(`${this.target.dataDir.value} holds ${held}.`);
    if (!(await confirm(`Replace all of it by ${by}?`))) throw new Failure('cancelled', 'nothing was changed', { exit: EXIT.usage });
  }

  /** One line when the key that commands would use is not among the data any more, naming a saved one that is. */
  protected async tellLostKey(): Promise<void> {
    const { key, daemon, local, dataDir, profile } = this.target;
    if (!key || !local) return;
    const transport = daemonTransport(expectDaemon(daemon, dataDir.value), dataDir.value);
    const isKnown = async (secret: string | undefined): Promise<boolean> => {
      const client = createClient({ transport, key: secret, retry: { maxWaitMs: 0, wait: () => Promise.resolve() } });
      return client.call(getAuthContext, {}).then(
        () => true,
        (error: unknown) => !(error instanceof ApiError && error.status === 401),
      );
    };
    if (await isKnown(key.value)) return;
    const lost = `the key of ${key.origin === 'STOCKROOM_API_KEY' ? key.origin : `profile ${profile.value}`} is not among these data`;
    for (const name of profilesOfDataDir(readConfig(process.env).profiles, dataDir.value)) {
      const saved = readKey(process.env, name);
      if (saved === undefined || !(await isKnown(saved))) continue;
      this.note(`${lost}; that of profile ${name} is: \`stockroom profile use ${name}\``);
      return;
    }
    this.note(`${lost}: \`stockroom keys create --all-scopes --save\` makes another`);
  }
}
