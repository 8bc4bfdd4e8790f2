/** Resident memory per item, indexes included: a daemon with all rows less one without any. */
import { type Case, NotHere } from '../bench.ts';
import { residentBytes } from '../machine.ts';
import { measure } from '../rounds.ts';
import { listPages, readOne, search } from '../requests.ts';

const MANY_ROWS = 1_000_000;
const TARGET_BYTES = 1_126;

export const memoryCase: Case = {
  name: 'memory',
  about: 'resident memory per item',
  async run(bench) {
    const { keys, copy, bytes } = await bench.data();
    const empty = await bench.data(0);
    return bench.using([bench.daemon({ directory: copy() }), bench.daemon({ directory: empty.copy() })], async (ours, none) => {
      bench.say('memory');
      // Whatever is built at the first use counts as well.
      const shots = [...readOne(keys, bench.rows), ...listPages(keys, bench.rows), ...search(keys, ['steel', 'SKU-00', 'a'])];
      const atStart = residentBytes(ours.pid);
      await measure(bench.load, [{ arm: ours, job: { connections: 1, shots } }], { ...bench.effort, rounds: 1 });
      const [full, bare] = [residentBytes(ours.pid), residentBytes(none.pid)];
      if (full === undefined || bare === undefined) throw new NotHere('this system does not report the memory of a process (no /proc)');
      const perItem = (full - bare) / bench.rows;
      return [
        {
          case: 'memory',
          what: `resident memory per item, ${bench.rows.toLocaleString('en')} items`,
          ours: { value: perItem, unit: 'B' },
          baseline: { value: bytes / bench.rows, unit: 'B' },
          ratio: perItem / (bytes / bench.rows),
          ...(bench.rows >= MANY_ROWS ? { target: { of: 'ours', atMost: TARGET_BYTES } } : {}),
          detail: { full, bare, atStart, jsonBytes: bytes },
        },
      ];
    });
  },
};
