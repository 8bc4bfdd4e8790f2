/** States that a crash or a power cut may leave on disk, reconstructed from a recording of all disk operations. */
import { describe, expect, test } from 'vitest';
import { filesAt, listPowerCuts, type PowerCutModel } from '../support/disk/crash-states.ts';
import type { Recording } from '../support/disk/recording.ts';
import { isLongRun } from '../support/long-run.ts';
import { type Crash, CrashChecks, createRandom, recordWorkload, sample } from './crash-checks.ts';
import type { History } from './history.ts';
import { SNAPSHOT, STORE } from './workload.ts';

const POSITIONS = isLongRun ? Infinity : 5;
const COMBINATIONS = isLongRun ? 64 : 2;
/** Crashes drawn at each depth of a recovery that is interrupted. */
const CRASHES_BY_DEPTH = isLongRun ? [80, 6, 4, 3] : [2, 2, 1, 1];

const report = (text: string): unknown => process.stdout.write(`Crash states: ${text}\n`);
const range = (length: number): number[] => Array.from({ length }, (_, at) => at);

interface PowerCut extends Crash {
  readonly position: number;
}

function* listCrashes(recording: Recording, history: History, model: PowerCutModel, positions: readonly number[]): Generator<PowerCut> {
  const random = createRandom();
  for (const position of positions) {
    const contents = history.listContentsAt(position);
    let state = 0;
    for (const files of listPowerCuts(recording, position, model, { random, combinations: COMBINATIONS }))
      yield { files, contents, position, description: `state ${state++} of a power cut at operation ${position} (${model})` };
  }
}

const listKills = (recording: Recording, contents: (position: number) => readonly string[]): Crash[] =>
  range(recording.length + 1).map((position) => ({
    files: filesAt(recording, position),
    contents: contents(position),
    description: `a kill before operation ${position}`,
  }));

describe('recovery', () => {
  test('a process killed between any two disk operations keeps each acknowledged change and no refused one', async () => {
    const { recording, history } = await recordWorkload();
    expect(history.refused).toBe(0);
    const checks = await CrashChecks.create();
    const kills = listKills(recording, (position) => history.listContentsAt(position));
    for (const crash of sample(kills, POSITIONS, createRandom())) await checks.check(crash);
    report(`${checks.count} different ones of processes killed before any of ${recording.length} operations`);
    expect(checks.failures).toEqual([]);
  });

  const checkPowerCuts = async (model: PowerCutModel): Promise<string[]> => {
    const { recording, history } = await recordWorkload();
    const checks = await CrashChecks.create();
    const positions = sample(range(recording.length + 1), POSITIONS, createRandom());
    const snapshot = filesAt(recording, recording.length).get(SNAPSHOT)!;
    for (const crash of listCrashes(recording, history, model, positions)) {
      await checks.check(crash);
      const isSaved = crash.position < history.snapshotSavedAt || crash.files.get(SNAPSHOT)?.equals(snapshot);
      if (!isSaved) checks.failures.push(`the snapshot is missing after ${crash.description}`);
    }
    report(`${checks.count} different ones of power cuts (${model}) at ${positions.length} operations`);
    return checks.failures;
  };

  test('a power cut at any disk operation keeps each acknowledged change and snapshot where directories change in order', async () => {
    expect(await checkPowerCuts('ordered')).toEqual([]);
  });

  test('a power cut at any disk operation keeps each acknowledged change where only POSIX orders the changes of a directory', async () => {
    expect(await checkPowerCuts('strict')).toEqual([]);
  });

  test('the directory is synced between the creation of each file and the manifest that names it', async () => {
    const { operations } = (await recordWorkload()).recording;
    const isSynced = (created: number, before: number) =>
      operations.slice(created, before).some((each) => each.kind === 'sync' && each.target === STORE && each.covers > created);
    const unsynced = operations.flatMap((manifest, before) =>
      manifest.kind === 'rename' && manifest.path === `${STORE}/manifest.json`
        ? operations
            .slice(0, before)
            .flatMap((each, at) => (each.kind === 'link' && each.directory === STORE && !isSynced(at, before) ? [each.path] : []))
        : [],
    );
    expect(unsynced).toEqual([]);
  });

  test('crashes during the recovery from crashes, three deep, lose nothing', async () => {
    const { recording, history } = await recordWorkload();
    const random = createRandom();
    const checks = await CrashChecks.create();
    const recover = async (crash: Crash, depth: number): Promise<void> => {
      const recovery = await checks.check(crash);
      if (recovery === undefined || depth === CRASHES_BY_DEPTH.length) return;
      const kills = listKills(recovery, () => crash.contents);
      for (const next of sample(kills, CRASHES_BY_DEPTH[depth]!, random))
        await recover({ ...next, description: `${next.description} of the recovery from ${crash.description}` }, depth + 1);
    };
    const crashes = sample(range(recording.length), CRASHES_BY_DEPTH[0]!, random).flatMap((position) =>
      sample([...listCrashes(recording, history, 'ordered', [position])], 1, random),
    );
    for (const crash of crashes) await recover(crash, 1);
    report(`${checks.count} different ones of recoveries interrupted up to ${CRASHES_BY_DEPTH.length - 1} times`);
    expect(checks.failures).toEqual([]);
  });
});
