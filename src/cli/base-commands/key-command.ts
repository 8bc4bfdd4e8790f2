/** Base of the commands that create an API key: output of the secret, which only one response contains, and saving it in a profile. */
import { Flags } from '@oclif/core';
import { createClient } from '../../client/client.ts';
import { createListRequest } from '../../client/list-request.ts';
import { createDaemonTransport, requireDaemonState } from '../../client/daemon-transport.ts';
import { ApiError } from '../../client/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { type ApiKey, createKey, listKeys, rotateKey } from '../../contract/admin/keys.ts';
import { resolveDataDirectory } from '../../contract/local-paths.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { listDataDirProfiles, readConfig, readKey, saveLocalKey, saveProfile } from '../../client/profiles.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { ROTATION_OVERLAP_H } from '../../contract/limits.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { usageError } from '../errors/failure.ts';
import { AdminCommand } from './admin-command.ts';
import type { View } from '../output/printer.ts';
import { type Parsed, getView } from './service-command.ts';

export const saveFlags = {
  save: Flags.boolean({ description: 'Save the key in the profile, for later commands.' }),
  force: Flags.boolean({ description: 'With --save, also replace a key that has more scopes.', dependsOn: ['save'] }),
};

type KeyFlags = { readonly save?: boolean; readonly force?: boolean; readonly tenant?: string | undefined };

const getScopes = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
  body['allScopes'] === true ? SCOPES : Array.isArray(body['scopes']) ? body['scopes'] : [];

export abstract class KeyCommand extends AdminCommand {
  /** Performs an operation that creates a key, and prints the key with its secret. `more`: fields added to the body. */
  protected async writeKey(
    op: Operation,
    parsed: Parsed & { flags: KeyFlags },
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const view = getView(op);
    this.validateOutput({ ...view, fields: [...view.fields, 'secret'] });
    if (parsed.flags.save) this.checkProfileIsLocal();
    const reply = await this.submit(op, parsed, async (typed) => {
      if (parsed.flags.save && !parsed.flags.force) {
        const scopes = op === createKey ? getScopes({ ...typed, ...more }) : await this.readScopes(op, parsed);
        await this.checkScopesAreKept(scopes, parsed.flags.tenant);
      }
      return more;
    });
    if (!reply) return;
    const body = reply.body as ResultOf<typeof createKey>;
    const { secret } = body;
    if (secret === undefined) return this.printRepeatedKey(body.data, view, reply.text);
    await this.printWithSecret(body.data, { field: 'secret', secret }, view, reply.text);
    if (parsed.flags.save) this.saveKey(secret, parsed.flags.tenant);
    if (this.format !== 'table') return;
    this.printNote('Store the secret now: it is not shown again.');
    if (op === rotateKey) this.printNote(`The previous key remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until it is revoked.`);
  }

  /** A request with the same idempotency key has created the key, and only its reply had the secret. */
  private async printRepeatedKey(data: ApiKey, view: View, text: string): Promise<void> {
    await this.printOne({ data }, view, text);
    this.printNote(
      `An earlier request with this idempotency key created the key, and only its response had the secret. Get another one with \`stockroom keys rotate ${data.prefix}\``,
    );
  }

  /** Before the key exists, because its secret is shown only once. */
  private checkProfileIsLocal(): void {
    const { profile } = this.target;
    const url = readConfig(process.env).profiles[profile.value]?.url;
    if (url === undefined) return;
    throw usageError(`--save: profile ${profile.value} is for ${url}`, 'Select a local profile with --profile, or omit --save');
  }

  /** Before the key exists: later commands would fail for lack of the scopes of the key that `--save` replaces. */
  private async checkScopesAreKept(scopes: readonly unknown[], tenantFlagValue: string | undefined): Promise<void> {
    const { daemon, dataDir } = this.target;
    const { profiles } = readConfig(process.env);
    const { slug, isOthers } = this.getSavePlace(tenantFlagValue);
    const name = isOthers
      ? listDataDirProfiles(profiles, dataDir.value).find((each) => profiles[each]?.tenant === slug)
      : this.target.profile.value;
    const key = name === undefined ? undefined : readKey(process.env, name);
    if (name === undefined || key === undefined) return;
    const transport = createDaemonTransport(requireDaemonState(daemon, dataDir.value), dataDir.value);
    const client = createClient({ transport, key, retry: this.retryPolicy() });
    const present = await client.call(getAuthContext, {}).then(
      (reply) => reply.body.data.api_key.scopes,
      (error: unknown) => {
        // A revoked or expired key can be replaced.
        if (error instanceof ApiError && error.status === 401) return [];
        throw error;
      },
    );
    const lost = present.filter((scope) => !scopes.includes(scope));
    if (lost.length === 0) return;
    throw usageError(
      `--save would replace the key of profile ${name}, which also has ${lost.length === 1 ? 'the scope' : 'the scopes'} ${lost.join(', ')}`,
      'Choose a key with all of these scopes, omit --save, or replace the key with --force',
    );
  }

  /** The scopes of the key to rotate, which its successor keeps; none when the rotation will not find it. */
  private async readScopes(op: Operation, parsed: Parsed): Promise<readonly unknown[]> {
    const { params, query } = await this.toRequestParts(op, parsed);
    const list = createListRequest(await this.connect(), listKeys, () => ({ query: { tenant: query['tenant'] } }), {});
    for await (const key of list as AsyncIterable<ApiKey>) if (key.id === params['key'] || key.prefix === params['key']) return key.scopes;
    return [];
  }

  private getSavePlace(tenantFlagValue: string | undefined): { slug: string | undefined; isOthers: boolean } {
    const { profile, tenant, dataDir } = this.target;
    const saved = readConfig(process.env).profiles[profile.value];
    const slug = tenantFlagValue ?? tenant?.value;
    // Do not overwrite the key of a profile for another data directory or tenant.
    const isOthers =
      saved !== undefined &&
      ((saved.dataDir ?? resolveDataDirectory(process.env)) !== dataDir.value || (slug !== undefined && (saved.tenant ?? slug) !== slug));
    return { slug, isOthers };
  }

  private saveKey(secret: string, tenantFlagValue: string | undefined): void {
    const { profile, dataDir } = this.target;
    const { slug, isOthers } = this.getSavePlace(tenantFlagValue);
    if (isOthers) {
      const name = saveLocalKey(process.env, { dataDir: dataDir.value, tenant: slug, apiKey: secret });
      this.printNote(`Saved to profile ${name}; the active profile is still ${profile.value}`);
      return;
    }
    saveProfile(process.env, profile.value, { dataDir: dataDir.value, ...(slug === undefined ? {} : { tenant: slug }) }, secret);
    this.printNote(`Saved to profile ${profile.value}`);
  }
}
