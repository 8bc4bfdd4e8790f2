import { expect, test } from 'vitest';
import { ConnectionLost, toStoreError } from './errors.ts';

test.each([
  ['57P01', 'terminating connection due to administrator command'],
  ['57P02', 'terminating connection because of crash of another server process'],
  ['57P05', 'terminating connection due to idle-session timeout'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout'],
  ['25P04', 'terminating connection due to transaction timeout'],
  ['ECONNRESET', 'read ECONNRESET'],
  [undefined, 'Connection terminated unexpectedly'],
])('error %s, with which the server closes a connection, is a lost connection', (code, message) => {
  expect(toStoreError(Object.assign(new Error(message), { code }))).toBeInstanceOf(ConnectionLost);
});

test.each([
  ['53300', 'too many connections'],
  ['57P03', 'the database system is starting up'],
  [undefined, 'Query read timeout'],
  ['23503', 'a bug'],
])('error %s is no lost connection: %s', (code, message) => {
  expect(toStoreError(Object.assign(new Error(message), { code }))).not.toBeInstanceOf(ConnectionLost);
});
