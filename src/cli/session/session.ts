/** Sessions connect a command with a service: which one, with which key, for which tenant. */
import type { Interfaces } from '@oclif/core';
import type { Client, Trace } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { RetryPolicy } from '../../client/transport/retry.ts';
import { getCredentialsFile } from '../../client/settings/profiles.ts';
import { type Target, resolveTarget } from '../../client/settings/target.ts';
import { resolveDataDirectory } from '../../platform/local-paths.ts';
import type { Operation } from '../../contract/operation.ts';
import type { RecordList } from '../../contract/record-lists.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { Failure } from '../errors/failure.ts';
import type { HintContext } from '../errors/hints.ts';
import type { Problem } from '../errors/problem.ts';
import { dataDirFlag, maxWaitFlag, profileFlag, urlFlag } from '../input/common-flags.ts';
import type { RecordSource } from '../input/resolve-names.ts';
import { KEY_FORMAT_HINT, isHeaderText } from '../input/secret.ts';
import type { GlobalFlags, Output } from '../command-output.ts';
import { waitWithCountdown } from '../output/wait-indicator.ts';

/** Arguments and flags by name, for code that derives them from an operation. */
export interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** The parts of a session that operations of /v1 and of the admin API have in common. */
export interface ServiceSession {
  /** Creates the client, as the flags say. */
  connect(): Promise<Client>;
  /** The time of the service, which may have a test clock. */
  getServiceTime(): Promise<Date>;
  /** Connects to the service that has a list, to look up names in it. `tenant`: that of the request, if it names one. */
  connectToList(list: RecordList, tenant: string | undefined): Promise<RecordSource>;
  /** The tenant of a request: that of `--tenant`, else that of the key, the project file or the profile; undefined if the operation takes none. */
  getTenant(op: Operation, flags: Parsed['flags']): Promise<string | undefined>;
  getHintContext(): Partial<HintContext>;
}

/** What a command that sends requests works with. */
export interface ServiceContext extends Parsed {
  readonly output: Output;
  readonly session: ServiceSession;
  /** As typed: `items list`. */
  readonly command: string;
  toProblem(thrown: unknown): Problem;
  reportProblem(problem: Problem): void;
}

/** How a command reaches what it works on: the flags for it, and the session that they open. */
export interface Access<F, S> {
  readonly flags: F;
  open(flags: Interfaces.InferredFlags<F> & GlobalFlags, output: Output): S;
}

/** Flags of all commands that send requests. */
export const serviceFlags = { profile: profileFlag, 'max-wait': maxWaitFlag, url: urlFlag, 'data-dir': dataDirFlag };

export type ServiceFlags = Interfaces.InferredFlags<typeof serviceFlags>;

/** The service and the key that the flags of a command select, with the environment and the working directory. */
export const resolveFlags = ({ profile, url, 'data-dir': dataDir }: Partial<Omit<ServiceFlags, 'max-wait'>>): Target =>
  resolveTarget({ profile, url, dataDir }, process.env, process.cwd());

/** Where a key is given for one command, for whichever tenant it is. */
const KEY_VARIABLE = 'STOCKROOM_API_KEY';
export const isGivenKey = (key: Target['key']): boolean => key?.origin === KEY_VARIABLE;

/** The id of the tenant of a key in STOCKROOM_API_KEY; undefined without such a key, or if this daemon does not know it. */
export async function readTenantOfGivenKey({ key, isLocal }: Target, connect: () => Promise<Client>): Promise<string | undefined> {
  if (!isLocal || !isGivenKey(key)) return undefined;
  try {
    return (await (await connect()).perform(getAuthContext)).body.data.tenant.id;
  } catch (error) {
    // A key of another service, or one that is about to be replaced.
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

/** A key that cannot be sent in a header is reported before anything is. */
export function checkKey(key: Target['key']): void {
  if (key === undefined || isHeaderText(key.value)) return;
  throw new Failure('BAD_KEY', `Invalid API key from ${key.origin}: it contains a line break or another invalid character`, {
    hint: KEY_FORMAT_HINT,
  });
}

/** Warns about a file whose key is sent. `keyFile`: that of `--api-key-file`, or `-`. */
export function warnAboutKeyFile(output: Output, key: Target['key'], keyFile: string | undefined): void {
  if (key === undefined || isGivenKey(key)) return;
  output.warnIfReadableByOthers(keyFile ?? getCredentialsFile(process.env));
}

export const createRetryPolicy = ({ 'max-wait': seconds }: Pick<ServiceFlags, 'max-wait'>): RetryPolicy => ({
  maxWaitMs: seconds * 1000,
  wait: (wait) => waitWithCountdown(wait),
});

/** Notes writes that were executed, and logs each request with `--verbose`. */
export function createTraceOptions(output: Output, url: string): { onTrace: (trace: Trace) => void } {
  return {
    onTrace: ({ method, path, status, milliseconds, idempotencyKey }) => {
      const isDone = status !== null && status >= 200 && status < 300;
      if (isDone && method !== 'GET' && !path.includes(DRY_RUN)) output.markWritten();
      if (!output.isVerbose) return;
      const key = idempotencyKey === null ? '' : `  idempotency key ${idempotencyKey}`;
      const outcome = status === null ? 'no response' : String(status);
      output.printDimNote(`${method} ${url.replace(/\/$/u, '')}${path}  ${outcome}  ${milliseconds.toFixed(0)} ms${key}`);
    },
  };
}

/** In the path of a request that changes nothing. */
const DRY_RUN = 'dry_run=true';

/** The data directory that hints must name: that of `--data-dir`, or of a profile, which daemon commands ignore. */
export function getDataDirForHints({ 'data-dir': typed }: Pick<ServiceFlags, 'data-dir'>, target: Target | undefined): string | undefined {
  const found = target?.dataDir.value;
  return typed ?? (found === resolveDataDirectory(process.env) ? undefined : found);
}

/** What hints depend on the service for. */
export const getTargetHints = (flags: ServiceFlags, target: Target | undefined): Pick<HintContext, 'isEphemeral' | 'dataDir'> => ({
  isEphemeral: target?.isLocal === true && target.daemon?.options.ephemeral === true,
  dataDir: getDataDirForHints(flags, target),
});
