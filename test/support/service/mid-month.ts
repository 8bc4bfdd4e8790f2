import { type ServiceTestOptions, type TestService, startService } from './service.ts';

/** Counting restarts each month, so no test may cross the end of a month unintentionally. */
export async function startInMidMonth(options: ServiceTestOptions = {}): Promise<TestService> {
  const s = await startService(options);
  s.clock.set(new Date('2027-03-10T12:00:00Z'));
  return s;
}
