import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../../domain/kernel/ports.ts';
import { LockTimeout, TransactionConflict, UniqueViolation } from '../errors.ts';
import { type GroupState, startGroup, transition } from './group-state.ts';

const fail = (state: GroupState, error: Error, size = 3): GroupState => transition(state, { name: 'failed', error, size });
const start = startGroup('quick');
const lost = new StoreUnavailable('the connection was lost');
const committing = transition(start, { name: 'commit' });
const unknown = fail(committing, lost);

test('a group is committed when COMMIT is answered, or when its outcome is found', () => {
  expect(transition(committing, { name: 'committed' })).toEqual({ name: 'committed' });
  expect(unknown).toMatchObject({ name: 'unknown', error: lost });
  expect(transition(unknown, { name: 'committed' })).toEqual({ name: 'committed' });
});

test('a group with an unknown outcome never runs again, unless it is found to be rolled back', () => {
  expect(fail(unknown, new TransactionConflict('conflict'))).toMatchObject({ name: 'rejected' });
  expect(transition(unknown, { name: 'rolled back', size: 3 })).toEqual({ name: 'rejected', error: lost });
  const waiting = fail(committing, new LockTimeout('a constraint waits'));
  expect(transition(waiting, { name: 'rolled back', size: 3 })).toMatchObject({ name: 'running', attempt: { lock: 'patient' } });
});

test.each([
  ['waits patiently for a lock, once', new LockTimeout('locked'), { lock: 'patient' }],
  ['looks unique values up, once', new UniqueViolation('taken'), { uniqueChecks: 'lookedUp' }],
])('a group that fails %s', (_, error, attempt) => {
  const again = fail(start, error);
  expect(again).toEqual({ name: 'running', attempt: { ...start.attempt, ...attempt } });
  expect(fail(again, error).name).toBe(error instanceof StoreUnavailable ? 'rejected' : 'separated');
});

test('a group runs again after five conflicts, and is rejected after six', () => {
  let state: GroupState = start;
  const conflict = new TransactionConflict('conflict');
  for (let each = 0; each < 5; each++) state = fail(state, conflict);
  expect(state).toMatchObject({ name: 'running', attempt: { conflicts: 5 } });
  expect(fail(state, conflict)).toEqual({ name: 'rejected', error: conflict });
});

test('an error of one transaction separates a group, and is the result of a group of one', () => {
  const bug = new TypeError('bug');
  expect(fail(start, bug)).toEqual({ name: 'separated' });
  expect(fail(start, bug, 1)).toEqual({ name: 'rejected', error: bug });
  expect(fail(start, lost)).toEqual({ name: 'rejected', error: lost });
});

test('an event that a state does not have is reported', () => {
  expect(() => transition(start, { name: 'committed' })).toThrow('a group that is running cannot get committed');
  expect(() => transition({ name: 'committed' }, { name: 'commit' })).toThrow('committed cannot get commit');
});
