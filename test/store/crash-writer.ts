/**
 * A program that writes in a loop, for tests that kill it or fill its disk. It prints the number of each acknowledged write, negated when
 * it was refused.
 *
 *   node crash-writer.ts <directory> <writers> <first number>
 */
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import { openFileStore } from '../../src/store/file/index.ts';
import { createThing, tables } from './fixtures.ts';

const [directory, writers, first] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const store = await openFileStore({ directory, tables, checkpointBytes: 64 * 1024 });
let next = first;
process.stdout.write('ready\n');

async function writeForever(): Promise<void> {
  for (;;) {
    const number = next++;
    try {
      await store.transact('a', async (tx) => {
        await tx.things.put(createThing(`t${number}`, { name: 'x'.repeat(200) }));
        await tx.marks.putMany(['red', 'blué'].map((colour) => ({ id: `${colour}${number}`, text: 'putMany', colour })));
        await tx.notes.put({ id: `n${number}`, text: 'same transaction', list: 'l', position: number });
      });
      process.stdout.write(`${number}\n`);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      process.stdout.write(`-${number}\n`);
      // Reads must still work.
      await store.read('a', (tx) => tx.things.count());
      await wait(1);
    }
  }
}
await Promise.all(Array.from({ length: writers }, writeForever));
