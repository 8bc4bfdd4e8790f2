/** Follows the feed of the local daemon, across its restarts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unreachable } from '../../client/errors.ts';
import { type StreamMessage, openEventStream } from '../../client/event-stream.ts';
import { toQueryString } from '../../client/request.ts';
import type { FeedType } from '../../contract/admin/feed.ts';
import { FEED_PATH } from '../../contract/admin/webhooks.ts';
import { requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { resolveTarget } from '../../client/settings/target.ts';
import type { AdminContext } from './admin-session.ts';

const RECONNECT_MS = 500;

/** The event of a message before which others may be missing. */
export const GAP = 'gap';

/** The messages of one type from now on, and one of type `gap` when the stream has started, and after each gap. */
export async function* followFeed(
  { flags, output, session }: AdminContext,
  type: FeedType,
  tenant: string | undefined,
): AsyncGenerator<StreamMessage> {
  const path = FEED_PATH + toQueryString({ tenant, types: type });
  const { profile, url, 'data-dir': dataDir } = flags as Readonly<Record<string, string | undefined>>;
  let from: string | undefined;
  // Fails as other commands do if no daemon of this user is meant.
  await session.connect();
  let isLost: boolean | undefined;
  for (;;) {
    try {
      // Resolved again, because a restarted daemon may have another socket.
      const target = resolveTarget({ profile, url, dataDir }, process.env, process.cwd());
      const stream = await openEventStream(requireDaemonState(target.daemon, target.dataDir.value).adminSocket, path, from);
      try {
        if (isLost !== false) output.printDimNote(isLost ? 'Reconnected' : 'Following. Press Ctrl-C to stop');
        isLost = false;
        yield { id: from ?? '', event: GAP, data: null };
        for await (const message of stream.messages) {
          from = message.id;
          if (message.event === type || message.event === GAP) yield message;
        }
      } finally {
        // A consumer may stop before the messages, whose end closes the stream.
        stream.close();
      }
    } catch (error) {
      if (!(error instanceof Unreachable) || isLost === undefined) throw error;
    }
    if (!isLost) output.printDimNote('The daemon does not respond; reconnecting');
    isLost = true;
    await sleep(RECONNECT_MS);
  }
}
