/** Follows the feed of the local daemon, across its restarts. */
import { Unreachable } from '../../client/errors.ts';
import { type StreamMessage, openEventStream } from '../../client/event-stream.ts';
import { toQueryString } from '../../client/request.ts';
import type { FeedType } from '../../contract/admin/feed.ts';
import { FEED_PATH } from '../../contract/admin/webhooks.ts';
import { requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { resolveTarget } from '../../client/settings/target.ts';
import type { AdminContext } from './admin-session.ts';
import { followDaemon } from './follow-daemon.ts';

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
  let lastId: string | undefined;
  // Fails as other commands do if no daemon of this user is meant.
  await session.connect();
  yield* followDaemon({
    async *follow(reportConnected) {
      // Resolved again, because a restarted daemon may have another socket.
      const target = resolveTarget({ profile, url, dataDir }, process.env, process.cwd());
      const daemon = requireDaemonState(target.daemon, target.dataDir.value);
      using stream = await openEventStream(daemon.adminSocket, path, { lastId });
      reportConnected(daemon.url);
      yield { id: lastId ?? '', event: GAP, data: null };
      for await (const message of stream.messages) {
        lastId = message.id;
        if (message.event === type || message.event === GAP) yield message;
      }
    },
    isRetried: (error, isFirstAttempt) => !isFirstAttempt && error instanceof Unreachable,
    startNote: 'Following. Press Ctrl-C to stop',
    printNote: (text) => output.printDimNote(text),
  });
}
