/** Addresses with which a database cannot be opened: what is wrong is one sentence, not a bug. */
import { expect, test } from 'vitest';
import { tables } from '../../src/domain/tables.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { explainOpenError } from '../../src/store/postgres/errors.ts';
import { createTestDatabase } from '../support/resources/migrations.ts';

const HINT = 'Check sslmode and sslrootcert in the address, and the certificate of the server';

test('an address with sslmode is refused with a sentence when the server has no TLS', async () => {
  const { url } = await createTestDatabase();
  await expect(openPostgresStore({ url: `${url}?sslmode=verify-full`, tables })).rejects.toMatchObject({
    name: 'DatabaseUnusable',
    message: 'No encrypted connection to the database: The server does not support SSL connections',
    hint: HINT,
  });
});

test('a certificate file that does not exist is named', async () => {
  const { url } = await createTestDatabase();
  await expect(openPostgresStore({ url: `${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, tables })).rejects.toMatchObject({
    name: 'DatabaseUnusable',
    message: expect.stringContaining('/nowhere/ca.pem') as string,
    hint: HINT,
  });
});

test('a socket directory without a server is unavailable', async () => {
  await expect(openPostgresStore({ url: 'postgres://me@/stockroom?host=/nowhere', tables })).rejects.toMatchObject({
    name: 'StoreUnavailable',
    message: 'The store is unavailable: nothing listens at the address of the database',
  });
});

test.for([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('a certificate that is rejected with %s is the fault of the configuration, not a bug', (code) => {
  const error = Object.assign(new Error('the certificate is not accepted'), { code });
  expect(explainOpenError(error)).toMatchObject({
    name: 'DatabaseUnusable',
    message: expect.stringContaining(error.message) as string,
    hint: HINT,
  });
});
