import { expect, test } from 'vitest';
import { Unreachable } from '../../client/errors.ts';
import { followDaemon } from './follow-daemon.ts';

/** Follows connections that fail, or have one message: whether an earlier one was lost. */
function follow(attempts: ('connects' | 'fails')[], signal: AbortSignal) {
  const notes: string[] = [];
  const messages = followDaemon({
    async *follow(reportConnected, isLost) {
      if (attempts.shift() === 'fails') throw new Unreachable('/admin.sock', 'No response');
      reportConnected(`http://127.0.0.1:${String(8625 + attempts.length)}`);
      yield isLost;
    },
    isRetried: (error, isFirstAttempt) => !isFirstAttempt && error instanceof Unreachable,
    startNote: 'Following',
    printNote: (text) => void notes.push(text),
    signal,
  });
  return { messages, notes };
}

test('followDaemon connects again after each end and failure until its signal aborts, and reports each loss once, with the address', async () => {
  const controller = new AbortController();
  const attempts: ('connects' | 'fails')[] = ['connects', 'fails', 'fails', 'connects'];
  const { messages, notes } = follow(attempts, controller.signal);
  const received: boolean[] = [];
  for await (const isLost of messages) {
    received.push(isLost);
    if (attempts.length === 0) controller.abort();
  }
  expect(received).toEqual([false, true]);
  expect(notes).toEqual([
    'Following',
    'The daemon at http://127.0.0.1:8628 does not respond; reconnecting',
    'Reconnected to the daemon at http://127.0.0.1:8625',
  ]);
});

test('followDaemon throws an error that is not retried', async () => {
  const { messages } = follow(['fails'], new AbortController().signal);
  await expect(messages.next()).rejects.toThrow('No response');
});
