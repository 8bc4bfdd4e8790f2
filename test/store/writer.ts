/**
 * A program that writes in a loop, for tests that kill it or take its disk away.
 * It prints the number of each write that was acknowledged, and of each that was refused with a minus.
 *   node writer.ts <directory> <writers> <first number>
 */
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/domain/ports.ts';
import { openFileStore } from '../../src/store/file/index.ts';
import { aThing, tables } from './things.ts';

const [directory, writers, first] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const store = await openFileStore({ directory, tables, checkpointBytes: 64 * 1024 });
let next = first;
process.stdout.write('ready\n');

async function write(): Promise<void> {
  for (;;) {
    const number = next++;
    try {
      await store.transact('a', async (tx) => {
        await tx.things.put(aThing(`t${number}`, { name: 'x'.repeat(200) }));
        await tx.marks.putMany(['red', 'blué'].map((colour) => ({ id: `${colour}${number}`, text: 'at once', colour })));
        await tx.notes.put({ id: `n${number}`, text: 'beside it', list: 'l', position: number });
      });
      process.stdout.write(`${number}\n`);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      process.stdout.write(`-${number}\n`);
      // Reads must go on.
      await store.read('a', (tx) => tx.things.count());
      await wait(1);
    }
  }
}
await Promise.all(Array.from({ length: writers }, write));
