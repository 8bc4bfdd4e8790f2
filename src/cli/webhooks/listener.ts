/**
 * `webhooks listen`: a receiver on this machine, an endpoint that points to it, and a file with the events that were handled.
 * The endpoint is disabled at the end, and the next run in the same project reuses it, so that its deliveries can still be shown and
 * resent. To resume, a run lets the service deliver the missed events; events in the file are acknowledged and not handled again.
 *
 * A remote service needs a public URL of the receiver (a tunnel), and cannot deliver past events again: only those that it still
 * retries after a run was killed. Without a public URL nothing is received; `listenByPolling` reports the deliveries to other
 * endpoints instead.
 */
import type { Client } from '../../client/client.ts';
import { backfillWebhook } from '../../contract/admin/webhooks.ts';
import type { SubscribableEvent } from '../../contract/events.ts';
import type { Env } from '../../platform/local-paths.ts';
import { type DeliveryHandler, type ReceivedDelivery, createDeliveryHandler } from './delivery-handler.ts';
import { type LocalDaemon, watchEndpoint } from './endpoint-watcher.ts';
import { type ListenerState, openListenerState } from './listener-state.ts';
import { pollDeliveries } from './poll-deliveries.ts';
import { type ReceiverOptions, startReceiver } from './receiver.ts';
import type { Routes } from './routes.ts';
import { type OpenedEndpoint, createEndpoint, disableEndpoint, reuseEndpoint } from './listener-endpoint.ts';

export interface ListenOptions extends ReceiverOptions {
  /** Creates a client of the service. A restarted daemon needs a new one. */
  connect(): Client;
  /** Set if the service is the daemon of this machine. */
  readonly local: LocalDaemon | undefined;
  readonly events: readonly SubscribableEvent[];
  readonly routes: Routes;
  /** Whether to start with the events that were missed since the last run. */
  readonly resume: boolean;
  /** Distinguishes the state files of different profiles and services. */
  readonly name: string;
  /** Directory of the project, whose runs share an endpoint. */
  readonly project: string;
  readonly env: Env;
  readonly printNote: (text: string) => void;
  readonly print: (delivery: ReceivedDelivery) => void;
  /** Called with the signing secret of the endpoint, again when it is recreated. */
  readonly onSecret: (secret: string) => void;
}

/** What the parts of a listener share. */
interface Session {
  readonly options: ListenOptions;
  readonly state: ListenerState;
  readonly handler: DeliveryHandler;
  readonly targetUrl: string;
}

export async function startListening(options: ListenOptions) {
  const state = openListenerState(options);
  const stopping = new AbortController();
  const handler = await createDeliveryHandler({ ...options, state, signal: stopping.signal });
  const receiver = await startReceiver(options, handler.handle);
  const close = () => {
    stopping.abort();
    receiver.close();
  };
  const session = { options, state, handler, targetUrl: options.publicUrl ?? receiver.url };
  // An open receiver would keep the command from ending.
  const endpointId = await openEndpoint(session).catch((error: unknown) => {
    close();
    throw error;
  });
  const watch = watchLocalEndpoint(session, endpointId);
  return {
    /** The endpoint at the start. */
    endpointId,
    /** Resolves with the reason when no more deliveries can arrive; never for a remote service. */
    ended: watch.ended,
    async stop(): Promise<void> {
      try {
        const id = await watch.stop();
        await disableEndpoint(options.connect(), id);
        state.end();
      } finally {
        close();
      }
    },
  };
}

/** Opens the endpoint of this project, and disables the endpoints that killed runs left active. Returns the id. */
async function openEndpoint(session: Session): Promise<string> {
  const { options, state, targetUrl } = session;
  const { connect, events, project, resume } = options;
  const client = connect();
  const { endpoint: previousId, wasKilled } = state;
  // Discards what the service still retries for the killed run.
  if (previousId !== null && wasKilled && !resume) await disableEndpoint(client, previousId);
  const reused = previousId === null ? undefined : await reuseEndpoint(client, previousId, targetUrl, events);
  const endpoint = reused ?? (await createEndpoint(client, { project, targetUrl, events }));
  const id = useEndpoint(session, endpoint);
  for (const leftoverId of state.leftoverEndpoints) await disableEndpoint(client, leftoverId);
  state.clearLeftovers();
  if (resume) await resumeDeliveries(session, endpoint, reused !== undefined && wasKilled);
  return id;
}

/** Records the endpoint and verifies deliveries with its secret. Returns its id. */
function useEndpoint({ options, state, handler }: Session, { data, signingSecret = '' }: OpenedEndpoint): string {
  state.begin(data.id, data.updatedAt);
  handler.setSecret(signingSecret);
  options.onSecret(signingSecret);
  return data.id;
}

/** Lets a local service deliver the missed events; reports what a remote service delivers. */
async function resumeDeliveries({ options, state }: Session, { data }: OpenedEndpoint, isRetried: boolean): Promise<void> {
  const { local, printNote } = options;
  if (local === undefined) {
    printNote(
      isRetried
        ? 'Resumed: the service retries the deliveries that the last run missed'
        : 'Nothing to resume: this service does not deliver past events again',
    );
    return;
  }
  if (state.since === data.updatedAt) return;
  const parts = { params: { webhook_id: data.id }, query: { tenant: local.tenant }, body: { since: state.since } };
  const { deliveries } = (await local.createAdminClient().call(backfillWebhook, parts)).body.data;
  printNote(`Resumed: the service delivers ${String(deliveries)} events since ${state.since} again; those already handled are skipped`);
}

/** Watches the endpoint of a local service. `stop` returns the id of the endpoint, which may have been recreated. */
function watchLocalEndpoint(session: Session, firstId: string): { readonly ended: Promise<string>; stop(): Promise<string> } {
  const { options, handler, targetUrl } = session;
  const { local, connect, events, project, printNote } = options;
  const watching = new AbortController();
  let endpointId = firstId;
  const watched =
    local &&
    watchEndpoint({
      local,
      getEndpointId: () => endpointId,
      // The data were replaced by others that do not contain the endpoint.
      async recreateEndpoint() {
        endpointId = useEndpoint(session, await createEndpoint(connect(), { project, targetUrl, events }));
      },
      getLastStatus: () => handler.lastStatus,
      printNote,
      signal: watching.signal,
    });
  return {
    ended: new Promise((resolve, reject) => {
      watched?.then((reason) => reason !== undefined && resolve(reason), reject);
    }),
    async stop() {
      watching.abort();
      // It may be recreating the endpoint.
      await watched;
      return endpointId;
    },
  };
}

type PollingOptions = Pick<ListenOptions, 'events' | 'resume' | 'name' | 'project' | 'env' | 'printNote' | 'print'> & {
  readonly client: Client;
};

/** Reports the deliveries of a service that cannot reach this machine: each once, without its data, from the public API. Never ends. */
export async function listenByPolling({ client, events, printNote, print, ...run }: PollingOptions): Promise<void> {
  const state = openListenerState(run);
  const since = run.resume && state.since !== '' ? state.since : undefined;
  // Keeps the endpoint of the last run, which the next one that receives deliveries reuses.
  state.begin(state.endpoint, new Date().toISOString());
  for await (const { id, eventType, attempts } of pollDeliveries({ client, query: {}, since, printNote })) {
    if (!events.includes(eventType) || state.has(id)) continue;
    state.add(id);
    print({
      event: eventType,
      eventId: null,
      deliveryId: id,
      attempt: attempts,
      verified: null,
      data: null,
      forwarded: null,
      forwardError: null,
    });
  }
}
