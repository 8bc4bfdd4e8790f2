/**
 * Watches the endpoint of `webhooks listen`. Without deliveries, a broken listener looks like an idle one, so everything that stops
 * deliveries is reported: the endpoint is disabled, paused or deleted, the daemon stopped, its data were replaced.
 *
 *   connect   Opens the stream and checks the endpoint; recreates it if the data no longer contain it. Then: follow.
 *   follow    Checks again after each change of an endpoint and after a gap. Ends when the endpoint was deleted; then: lost if the stream ends.
 *   lost      Reported once. Reconnects every half second.
 */
import type { Client } from '../../client/client.ts';
import { ApiError, Unreachable } from '../../client/errors.ts';
import { toQueryString } from '../../client/request.ts';
import { openEventStream } from '../../client/event-stream.ts';
import type { FeedData } from '../../contract/admin/feed.ts';
import { FEED_PATH, listHealth } from '../../contract/admin/webhooks.ts';
import type { DaemonState } from '../../platform/daemon-state.ts';
import type { WebhookStatus } from '../../contract/resources/webhooks.ts';
import { followDaemon } from '../session/follow-daemon.ts';

/** The daemon of this machine and the tenant of the key. */
export interface LocalDaemon {
  /** The current state of the daemon; throws Unreachable if none is running. */
  getDaemon(): DaemonState;
  /** Creates a client of its admin API. */
  createAdminClient(): Client;
  readonly tenant: string;
}

export interface WatchOptions {
  readonly local: LocalDaemon;
  /** The id of the endpoint, which changes when it is recreated. */
  getEndpointId(): string;
  recreateEndpoint(): Promise<void>;
  /** Status with which the receiver responded last; null if nothing was forwarded yet. */
  getLastStatus(): number | null;
  readonly printNote: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Action in the audit trail. It does not contain the new secret. */
const SECRET_ROTATED = 'webhook.secret_rotated';
const SECRET_ROTATED_NOTE =
  'The secret of the endpoint was rotated: after the overlap, signatures cannot be verified here. Restart the command to get a new endpoint';

/** Resolves with the reason when no more deliveries can arrive; with undefined after `signal`, once it has finished its last change. */
export async function watchEndpoint(options: WatchOptions): Promise<string | undefined> {
  const { local, getEndpointId, printNote, signal } = options;
  const { checkStatus, ensureEndpoint } = createEndpointChecks(options);
  const path = FEED_PATH + toQueryString({ tenant: local.tenant, types: 'audit' });
  const reasons = followDaemon<string>({
    async *follow(reportConnected) {
      // Throws if the daemon does not have the tenant.
      await checkStatus();
      const { adminSocket, url } = local.getDaemon();
      using stream = await openEventStream(adminSocket, path, { signal });
      await ensureEndpoint('The data of this daemon do not contain the endpoint');
      reportConnected(url);
      for await (const { event, data } of stream.messages) {
        if (event === 'gap') await ensureEndpoint('The data of the daemon were replaced');
        if (event !== 'audit') continue;
        const { resourceId, action } = data as FeedData['audit'];
        if (resourceId !== getEndpointId()) continue;
        if (action === SECRET_ROTATED) printNote(SECRET_ROTATED_NOTE);
        if ((await checkStatus()) === undefined) yield 'The endpoint was deleted; no more deliveries will arrive';
      }
    },
    isRetried: (error) => error instanceof Unreachable || (error instanceof ApiError && error.status >= 500),
    printNote,
    signal,
  });
  try {
    for await (const reason of reasons) return reason;
  } catch (error) {
    // Without its key the listener cannot create another endpoint.
    if (error instanceof ApiError) return `${error.message.replace(/\.$/u, '')}; no more deliveries will arrive`;
    throw error;
  }
  return undefined;
}

function createEndpointChecks({ local, getEndpointId, recreateEndpoint, getLastStatus, printNote, signal }: WatchOptions) {
  let last: WebhookStatus = 'active';
  /** Reports a change of the status. Returns undefined if the endpoint does not exist. */
  const checkStatus = async (): Promise<WebhookStatus | undefined> => {
    const { data } = (await local.createAdminClient().perform(listHealth, { query: { tenant: local.tenant } })).body;
    const status = data.find((each) => each.id === getEndpointId())?.status;
    if (status !== undefined && status !== last) printNote(describeStatus(status, getEndpointId(), getLastStatus()));
    last = status ?? last;
    return status;
  };
  return {
    checkStatus,
    /** Recreates the endpoint if it does not exist. */
    async ensureEndpoint(reason: string): Promise<void> {
      if ((await checkStatus()) !== undefined || signal.aborted) return;
      await recreateEndpoint();
      last = 'active';
      printNote(`${reason}; listening with a new endpoint`);
    },
  };
}

const GONE = 410;

function describeStatus(status: WebhookStatus, id: string, lastStatus: number | null): string {
  const activate = `\`stockroom webhooks update ${id} --status active\``;
  switch (status) {
    case 'active':
      return 'The endpoint is active again';
    case 'paused':
      return `The endpoint is paused; deliveries wait until you activate it: ${activate}`;
    case 'disabled':
      return `${lastStatus === GONE ? 'The receiver responded with 410 (Gone), so the' : 'The'} endpoint is disabled. Activate it with ${activate}`;
  }
}
