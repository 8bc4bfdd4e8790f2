/** Creates API keys: prints the secret, which only one response contains, and saves it in a profile. */
import { Flags } from '@oclif/core';
import { createClient } from '../../client/client.ts';
import { createListRequest } from '../../client/lists/list-request.ts';
import { createDaemonTransport, requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { ApiError } from '../../client/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { type ApiKey, createKey, listKeys, rotateKey } from '../../contract/admin/keys.ts';
import { resolveDataDirectory } from '../../platform/local-paths.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { listDataDirProfiles, readConfig, readKey, saveLocalKey, saveProfile } from '../../client/settings/profiles.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { ROTATION_OVERLAP_H } from '../../contract/limits.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { usageError } from '../errors/failure.ts';
import { addSecretColumn } from '../command-output.ts';
import { getView, toRequestParts } from '../records/request.ts';
import { submitRecord } from '../records/write-record.ts';
import type { AdminContext, AdminSession } from '../session/admin-session.ts';

export const saveFlags = {
  save: Flags.boolean({ description: 'Save the key in the profile, for later commands.' }),
  force: Flags.boolean({ description: 'With --save, also replace a key that has more scopes.', dependsOn: ['save'] }),
};

type KeyContext = AdminContext & {
  readonly flags: { readonly save?: boolean; readonly force?: boolean; readonly tenant?: string | undefined };
};

const getScopes = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
  body['allScopes'] === true ? SCOPES : Array.isArray(body['scopes']) ? body['scopes'] : [];

/** Performs an operation that creates a key, and prints the key with its secret. `more`: fields added to the body. */
export async function writeKey(context: KeyContext, op: Operation, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { flags, output, session } = context;
  const view = addSecretColumn(output, getView(op), 'secret');
  if (flags.save) checkProfileIsLocal(session);
  const previous = op === rotateKey ? await findKey(context, op) : undefined;
  let replacedTier: string | undefined;
  const reply = await submitRecord(context, op, async (typed) => {
    if (flags.save && !flags.force) {
      const scopes = op === createKey ? getScopes({ ...typed, ...more }) : (previous?.scopes ?? []);
      replacedTier = await checkScopesAreKept(session, scopes, flags.tenant);
    }
    return more;
  });
  if (!reply) return;
  const { data, secret } = reply.body as ResultOf<typeof createKey>;
  if (secret === undefined) {
    // A request with the same idempotency key has created the key, and only its reply had the secret.
    await output.printOne({ data }, view, reply.text);
    output.printNote(
      `An earlier request with this idempotency key created the key, and only its response had the secret. Get another one with \`stockroom keys rotate ${data.prefix}\``,
    );
    return;
  }
  await output.printWithSecret(data, { field: 'secret', secret }, view, reply.text);
  if (flags.save) for (const note of saveKey(session, secret, flags.tenant)) output.printNote(note);
  if (replacedTier !== undefined && replacedTier !== data.rateLimitTier)
    output.printNote(
      `The key before it had the tier ${replacedTier}, this one has ${data.rateLimitTier}; change it with \`stockroom keys update ${data.prefix} --tier ${replacedTier}\``,
    );
  if (output.format !== 'table') return;
  output.printNote('Store the secret now: it is not shown again.');
  if (previous)
    output.printNote(
      `The previous key remains valid for ${String(ROTATION_OVERLAP_H)} hours, or until \`stockroom keys revoke ${previous.prefix}\``,
    );
}

/** Before the key exists, because its secret is shown only once. */
function checkProfileIsLocal({ target: { profile } }: AdminSession): void {
  const url = readConfig(process.env).profiles[profile.value]?.url;
  if (url === undefined) return;
  throw usageError(`--save: profile ${profile.value} is for ${url}`, 'Select a local profile with --profile, or omit --save');
}

/**
 * Before the key exists: later commands would fail for lack of the scopes of the key that `--save` replaces. Returns the tier of that key;
 * undefined if there is none.
 */
async function checkScopesAreKept(
  session: AdminSession,
  scopes: readonly unknown[],
  tenant: string | undefined,
): Promise<string | undefined> {
  const { daemon, dataDir, profile } = session.target;
  const { profiles } = readConfig(process.env);
  const { slug, isOthers } = getSavePlace(session, tenant);
  const name = isOthers ? listDataDirProfiles(profiles, dataDir.value).find((each) => profiles[each]?.tenant === slug) : profile.value;
  const key = name === undefined ? undefined : readKey(process.env, name);
  if (name === undefined || key === undefined) return undefined;
  const transport = createDaemonTransport(requireDaemonState(daemon, dataDir.value));
  const client = createClient({ transport, key, retry: session.retryPolicy });
  const present = await client.call(getAuthContext, {}).then(
    (reply) => reply.body.data.api_key,
    (error: unknown) => {
      // A revoked or expired key can be replaced.
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    },
  );
  if (!present) return undefined;
  const lost = present.scopes.filter((scope) => !scopes.includes(scope));
  if (lost.length > 0)
    throw usageError(
      `--save would replace the key of profile ${name}, which also has ${lost.length === 1 ? 'the scope' : 'the scopes'} ${lost.join(', ')}`,
      'Choose a key with all of these scopes, omit --save, or replace the key with --force',
    );
  return present.rate_limit_tier;
}

/** The key to rotate, whose scopes its successor keeps; undefined when the rotation will not find it. */
async function findKey(context: KeyContext, op: Operation): Promise<ApiKey | undefined> {
  const { params, query } = await toRequestParts(context, op);
  const list = createListRequest(await context.session.connect(), listKeys, () => ({ query: { tenant: query['tenant'] } }), {});
  for await (const key of list as AsyncIterable<ApiKey>) if (key.id === params['key'] || key.prefix === params['key']) return key;
  return undefined;
}

function getSavePlace(
  { target: { profile, tenant, dataDir } }: AdminSession,
  tenantFlagValue: string | undefined,
): { slug: string | undefined; isOthers: boolean } {
  const saved = readConfig(process.env).profiles[profile.value];
  const slug = tenantFlagValue ?? tenant?.value;
  // Do not overwrite the key of a profile for another data directory or tenant.
  const isOthers =
    saved !== undefined &&
    ((saved.dataDir ?? resolveDataDirectory(process.env)) !== dataDir.value || (slug !== undefined && (saved.tenant ?? slug) !== slug));
  return { slug, isOthers };
}

/** Saves the key in a profile. Returns what to report. */
function saveKey(session: AdminSession, secret: string, tenant: string | undefined): readonly string[] {
  const { profile, dataDir } = session.target;
  const { slug, isOthers } = getSavePlace(session, tenant);
  if (isOthers) {
    const name = saveLocalKey(process.env, { dataDir: dataDir.value, tenant: slug, apiKey: secret });
    const active = readConfig(process.env).profile ?? profile.value;
    return [`Saved to profile ${name}; the active profile is still ${active}. Change it with \`stockroom profile use ${name}\``];
  }
  saveProfile(process.env, profile.value, { dataDir: dataDir.value, ...(slug === undefined ? {} : { tenant: slug }) }, secret);
  return [`Saved to profile ${profile.value}`];
}
